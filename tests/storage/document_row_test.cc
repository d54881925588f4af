#include "storage/document_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

using namespace std::string_literals;

DocumentRow some_row() { return {{DocumentKind::kView, "abc"}, Timestamp(Duration(1)), "{}"}; }

TEST(DocumentRowTest, HasGoldenBytes) {
  EXPECT_EQ(document_key(some_row().key),
            "document\x02"
            "abc"s);
  const std::string bytes = encode_document_row(some_row());
  EXPECT_EQ(bytes, "\x01\x02{}\xe3\x0b\x0b\x0f"s);
}

RC_GTEST_PROP(DocumentRowTest, RoundTrips, ()) {
  const auto id = *rc::gen::suchThat<std::string>([](const std::string& s) { return !s.empty(); });
  RC_PRE(id.size() <= kDocumentIdBytesMax);
  const DocumentRow row{
      {static_cast<DocumentKind>(*rc::gen::inRange(0, static_cast<int>(kDocumentKindCount))), id},
      Timestamp(Duration(*rc::gen::arbitrary<int64_t>())),
      *rc::gen::arbitrary<std::string>()};
  RC_ASSERT(parse_document_key(document_key(row.key)) == row.key);
  const auto again = decode_document_row(row.key, encode_document_row(row));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == row);
}

TEST(DocumentRowTest, KeysHaveKindAndId) {
  for (const std::string& key : {"document"s, "document\x01"s, "document\x05x"s, "documen\x01x"s,
                                 "family\x01x"s, "document\x01"s + std::string(kDocumentIdBytesMax + 1, 'a')})
    EXPECT_FALSE(parse_document_key(key)) << key;
  EXPECT_TRUE(parse_document_key("document\x01"s + std::string(kDocumentIdBytesMax, '\0')));
}

TEST(DocumentRowTest, EveryFlippedBitAndEveryCutIsFound) {
  const std::string bytes = encode_document_row(some_row());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_document_row(some_row().key, damaged)) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_document_row(some_row().key, bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_document_row(some_row().key, bytes + "x"));
}

TEST(DocumentRowTest, BelongsToItsKey) {
  EXPECT_FALSE(decode_document_row({DocumentKind::kView, "abd"}, encode_document_row(some_row())));
  EXPECT_FALSE(decode_document_row({DocumentKind::kEvent, "abc"}, encode_document_row(some_row())));
}

TEST(DocumentRowTest, ABodyIsNotLongerThanItsLimit) {
  std::string bytes = "\x01\x00"s + std::string(kDocumentBodyBytesMax + 1, 'x');
  Writer(bytes).u32be(crc32c(bytes, crc32c(document_key(some_row().key))));
  EXPECT_FALSE(decode_document_row(some_row().key, bytes));
}

}  // namespace
}  // namespace statmill
