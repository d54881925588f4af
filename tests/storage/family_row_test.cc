#include "storage/family_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace statmill {
namespace {

FamilyRow heat_row() { return {{"room.heat", Kind::kDistribution}, "celsius", "Heat at the door."}; }

TEST(FamilyRowTest, HasGoldenBytes) {
  EXPECT_EQ(family_key(heat_row().key), std::string("family\x02room.heat"));
  const std::string bytes = encode_family_row(heat_row());
  EXPECT_EQ(bytes.substr(0, bytes.size() - 4), std::string("\x01\x07"
                                                           "celsius\x11"
                                                           "Heat at the door."));
  EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\x65\x8b\xd1\x9e", 4));
}

TEST(FamilyRowTest, RoundTrips) {
  for (const FamilyRow& row : {heat_row(), FamilyRow{{"a", Kind::kGauge}, {}, {}},
                               FamilyRow{{std::string(kNameBytesMax, 'a'), Kind::kCounter},
                                         std::string(kUnitBytesMax, 'u'),
                                         std::string(kHelpBytesMax, 'h')}}) {
    EXPECT_EQ(parse_family_key(family_key(row.key)), row.key);
    const auto again = decode_family_row(row.key, encode_family_row(row));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, row);
  }
}

TEST(FamilyRowTest, KeysHaveKindAndPath) {
  using namespace std::string_literals;
  for (const std::string& key : {"family"s, "family\x01"s,
                                 "family\x04"
                                 "a"s,
                                 "famil"s,
                                 "agent\x01"
                                 "a"s,
                                 "family\x01" + std::string(kNameBytesMax + 1, 'a')})
    EXPECT_FALSE(parse_family_key(key)) << key;
}

TEST(FamilyRowTest, EveryFlippedBitAndEveryCutIsFound) {
  const std::string bytes = encode_family_row(heat_row());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_family_row(heat_row().key, damaged)) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_family_row(heat_row().key, bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_family_row(heat_row().key, bytes + "x"));
}

TEST(FamilyRowTest, BelongsToItsKey) {
  EXPECT_FALSE(decode_family_row({"room.cold", Kind::kDistribution}, encode_family_row(heat_row())));
  EXPECT_FALSE(decode_family_row({"room.heat", Kind::kGauge}, encode_family_row(heat_row())));
}

}  // namespace
}  // namespace statmill
