#include "storage/whole_row.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace statmill {
namespace {

WholeRow debug_row() { return {{{"", 0}, {"debug.*", 81'018}}}; }

TEST(WholeRowTest, HasGoldenBytes) {
  const std::string bytes = encode_whole_row(debug_row());
  EXPECT_EQ(bytes.substr(0, bytes.size() - 4), std::string("\x01\x02\x00\x00\x07"
                                                           "debug.*\xfa\xf8\x04",
                                                           15));
  EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\x28\xb4\x26\xaa", 4));
}

TEST(WholeRowTest, RoundTrips) {
  WholeRow most{{{"", 1}}};
  while (most.classes.size() < kGone)
    most.classes.push_back({std::string(200, 'a') + "*", std::numeric_limits<ChunkNo>::max()});
  for (const WholeRow& row : {debug_row(), WholeRow{{{"", 7}}}, most}) {
    const auto again = decode_whole_row(encode_whole_row(row));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, row);
  }
}

TEST(WholeRowTest, EveryFlippedBitAndEveryCutIsFound) {
  const std::string bytes = encode_whole_row(debug_row());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_whole_row(damaged)) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_whole_row(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_whole_row(bytes + "x"));
}

TEST(WholeRowTest, BelongsToTheGlobsInTheirOrder) {
  const auto retention_of = [](const std::vector<std::string>& rules) {
    Retention out(*Tiers::parse("10s:10d,5m:1y"));
    for (const std::string& rule : rules) EXPECT_TRUE(out.add_rule(rule));
    return out;
  };
  const WholeRow row{{{"", 0}, {"a.*", 1}, {"b.*", 2}}};
  EXPECT_TRUE(has_globs_of(row, retention_of({"a.* 10s:1d", "b.* 10s:2d"})));
  EXPECT_FALSE(has_globs_of(row, retention_of({"b.* 10s:1d", "a.* 10s:2d"})));
  EXPECT_FALSE(has_globs_of(row, retention_of({"a.* 10s:1d"})));
}

}  // namespace
}  // namespace statmill
