#include "storage/exemplar_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/bytes.h"
#include "base/hash.h"
#include "proto/exemplar.h"

namespace statmill {
namespace {

using namespace std::string_literals;

ExemplarRow some_row() {
  return {{7, 170'000'000},
          2.5,
          1'700'000'000'123,
          "\x08trace_id\x04"
          "4bf9"};
}

TEST(ExemplarRowTest, HasGoldenBytes) {
  EXPECT_EQ(exemplar_key(some_row().key), "\0\0\0\7\0\0\0\0\x0a\x21\xfe\x80"s);
  const std::string bytes = encode_exemplar_row(some_row());
  const std::string body =
      "\x01\x40\x04\0\0\0\0\0\0\xf6\xa1\xab\xfe\xf9\x62\x08trace_id\x04"
      "4bf9"s;
  EXPECT_EQ(bytes.substr(0, bytes.size() - 4), body);
  EXPECT_EQ(bytes.substr(bytes.size() - 4), "\"\xda\xa6\x8c"s);
}

RC_GTEST_PROP(ExemplarRowTest, RoundTrips, ()) {
  const auto value = *rc::gen::suchThat<double>([](double v) { return std::isfinite(v); });
  const ExemplarKey key{*rc::gen::arbitrary<uint32_t>(), *rc::gen::positive<int64_t>()};
  const ExemplarRow row{key, value, *rc::gen::arbitrary<int64_t>(), some_row().labels};
  RC_ASSERT(parse_exemplar_key(exemplar_key(key)) == key);
  const auto again = decode_exemplar_row(key, encode_exemplar_row(row));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == row);
}

TEST(ExemplarRowTest, EveryFlippedBitAndEveryCutIsFound) {
  const std::string bytes = encode_exemplar_row(some_row());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_exemplar_row(some_row().key, damaged)) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_exemplar_row(some_row().key, bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_exemplar_row(some_row().key, bytes + "x"));
  EXPECT_FALSE(decode_exemplar_row({7, 170'000'001}, bytes)) << "it belongs to its key";
}

TEST(ExemplarRowTest, WhatNoWriterWritesIsRefused) {
  const auto decodes = [](double value, const std::string& labels) {
    std::string bytes = "\x01";
    Writer writer(bytes);
    writer.f64(value);
    writer.svarint(0);
    writer.bytes(labels);
    writer.u32be(crc32c(bytes, crc32c(exemplar_key(some_row().key))));
    return decode_exemplar_row(some_row().key, bytes).has_value();
  };
  EXPECT_TRUE(decodes(1, ""));
  EXPECT_FALSE(decodes(std::numeric_limits<double>::infinity(), ""));
  EXPECT_FALSE(decodes(1,
                       "\x01"
                       "a"));
  EXPECT_FALSE(decodes(1, std::string(kExemplarLabelBytesMax + 1, 'x')));
}

TEST(ExemplarRowTest, KeysHaveIdAndSlot) {
  EXPECT_FALSE(parse_exemplar_key(std::string(11, '\0')));
  EXPECT_FALSE(parse_exemplar_key(std::string(13, '\0')));
  EXPECT_FALSE(parse_exemplar_key(std::string(12, '\xff'))) << "a slot before 1970";
  EXPECT_LT(exemplar_key({1, 256}), exemplar_key({1, 65536}));
  EXPECT_LT(exemplar_key({1, 65536}), exemplar_key({2, 1}));
}

RC_GTEST_PROP(ExemplarRowTest, TheLargerOfTwoIsTheSameWhicheverComesFirst, ()) {
  const auto row = [] {
    return ExemplarRow{{1, 1},
                       static_cast<double>(*rc::gen::inRange(0, 3)),
                       *rc::gen::inRange(0, 3),
                       std::string(1, *rc::gen::inRange('a', 'c'))};
  };
  const ExemplarRow a = row();
  const ExemplarRow b = row();
  RC_ASSERT(is_larger(a, b) || is_larger(b, a) || a == b);
  RC_ASSERT(!is_larger(a, b) || !is_larger(b, a));
  RC_ASSERT(!is_larger(a, a));
}

}  // namespace
}  // namespace statmill
