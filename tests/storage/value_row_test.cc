#include "storage/value_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "storage/keys.h"

namespace statmill {
namespace {

std::string row_of(TickNo tick, int64_t now_s, const std::vector<LastValue>& values) {
  ValueRowWriter writer(from_unix_seconds(now_s));
  for (const LastValue& value : values) writer.add(value);
  return std::move(writer).finish(tick);
}

Result<std::vector<LastValue>> values_of(TickNo tick, std::string_view row) {
  auto reader = ValueRowReader::open(tick, row);
  if (!reader) return reader.error();
  std::vector<LastValue> values;
  for (;;) {
    const auto value = reader->next();
    if (!value) return value.error();
    if (!*value) return values;
    values.push_back(**value);
  }
}

const LastValue kExample{{0x0102030405060708, 0x1112131415161718}, Number::decimal(25, 1), 1000, 0, 7, true};

// The example of FORMAT.md.
TEST(ValueRow, HasTheDocumentedBytes) {
  const std::string row = row_of(9, 8, {kExample});
  const std::string_view body = std::string_view(row).substr(0, row.size() - 4);
  EXPECT_EQ(body, std::string("\x01\x10\x11\x12\x13\x14\x15\x16\x17\x18\x01\x02\x03\x04\x05\x06\x07\x08"
                              "\x82\x32\xd0\x0f\x02",
                              23));
  EXPECT_EQ(value_row_key(9), std::string("values\0\0\0\0\0\0\0\x09", 14));
  EXPECT_EQ(*values_of(9, row), std::vector<LastValue>{kExample});
  EXPECT_FALSE(values_of(8, row)) << "the checksum is over the key, too";
}

TEST(ValueRow, AHistogramAndNanosecondsComeLast) {
  LastValue value = kExample;
  const size_t usual = row_of(9, 8, {value}).size();
  value.time_ns = 3;
  value.histogram = std::make_shared<const std::string>("bytes");
  const std::string row = row_of(9, 8, {value});
  EXPECT_EQ(row[18], '\xa2');
  EXPECT_EQ(row.substr(usual - 4, row.size() - usual), std::string("\x03\x06") + "bytes");
  EXPECT_EQ(*values_of(9, row), std::vector<LastValue>{value});
  value.time_ns = 1'000'000;
  EXPECT_EQ(values_of(9, row_of(9, 8, {value})).error().code, ErrorCode::kCorrupt);
}

TEST(ValueRow, AnEntryOfACounterIsShort) {
  const std::string one = row_of(1, 8, {kExample});
  EXPECT_LE(row_of(1, 8, {kExample, kExample}).size() - one.size(), 20U);
}

TEST(ValueRow, DamageIsAnError) {
  const std::string row = row_of(9, 8, {kExample, kExample});
  for (size_t size = 0; size < row.size(); ++size) EXPECT_FALSE(values_of(9, row.substr(0, size))) << size;
  for (size_t bit = 0; bit < 8 * row.size(); ++bit) {
    std::string flipped = row;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << (bit % 8));
    EXPECT_FALSE(values_of(9, flipped)) << bit;
  }
}

TEST(ValueRow, ALaterVersionIsRefusedAsSuch) {
  std::string body = "\x02\x10";
  Writer(body).u32be(crc32c(body, crc32c(value_row_key(9))));
  EXPECT_EQ(values_of(9, body).error().code, ErrorCode::kVersion);
}

TEST(ValueRow, AValueThatIsNoNumberIsRefused) {
  LastValue value = kExample;
  value.value = Number::of(std::numeric_limits<double>::infinity());
  EXPECT_EQ(values_of(9, row_of(9, 8, {value})).error().code, ErrorCode::kCorrupt);
  value.value = {Number::kMantissaMax + 1, 0};
  EXPECT_EQ(values_of(9, row_of(9, 8, {value})).error().code, ErrorCode::kCorrupt);
}

TEST(ValueRow, OnlyItsKeysAreParsed) {
  EXPECT_EQ(parse_value_row_key(value_row_key(77)), TickNo{77});
  EXPECT_EQ(parse_value_row_key("values"), std::nullopt);
  EXPECT_EQ(parse_value_row_key("value000000000"), std::nullopt);
  EXPECT_EQ(parse_value_row_key(value_row_key(77) + "x"), std::nullopt);
}

RC_GTEST_PROP(ValueRow, ReadsWhatItWrites, ()) {
  std::vector<LastValue> values(*rc::gen::inRange<size_t>(0, 10));
  for (LastValue& value : values) {
    value.name = {*rc::gen::arbitrary<uint64_t>(), *rc::gen::arbitrary<uint64_t>()};
    value.value = Number::shortest(static_cast<double>(*rc::gen::arbitrary<int64_t>()) / 1024);
    value.time_ms = *rc::gen::arbitrary<int64_t>();
    value.start_ms = *rc::gen::inRange<int64_t>(0, 2) * *rc::gen::arbitrary<int64_t>();
    value.seen_s = *rc::gen::arbitrary<int64_t>();
    value.is_counter = *rc::gen::arbitrary<bool>();
    value.time_ns = *rc::gen::inRange<uint32_t>(0, 2) * *rc::gen::inRange<uint32_t>(0, 1'000'000);
    if (*rc::gen::arbitrary<bool>())
      value.histogram = std::make_shared<const std::string>(*rc::gen::arbitrary<std::string>());
  }
  const auto read = values_of(3, row_of(3, 1'700'000'000, values));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == values);
}

}  // namespace
}  // namespace statmill
