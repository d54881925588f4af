#include "storage/series_row.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(SeriesRow, HasKindDetailAndJoinedPowerInTheFirstByte) {
  for (const Kind kind : kKinds) {
    for (int i = 0; i <= 2 * kSentJoinedPowerMax + 1; ++i) {
      const bool is_detailed = i % 2 == 1;
      const auto power = static_cast<uint8_t>(i / 2);
      const std::string bytes = encode_series_row({7, kind, "web.took;host=a", power, is_detailed});
      const int first = static_cast<int>(kind) + (is_detailed ? 8 : 0) + 16 * power;
      EXPECT_EQ(bytes, std::string(1, static_cast<char>(first)) + "web.took;host=a");
      const auto row = decode_series_row(7, bytes);
      ASSERT_TRUE(row);
      EXPECT_EQ(row->id, 7U);
      EXPECT_EQ(row->kind, kind);
      EXPECT_EQ(row->name, "web.took;host=a");
      EXPECT_EQ(row->joined_power, power);
      EXPECT_EQ(row->is_detailed, is_detailed);
    }
  }
}

TEST(SeriesRow, RefusesRowsOfLaterVersions) {
  for (const std::string_view bytes : {"", "\2", "\4a",
                                       "\x62"
                                       "a",
                                       "\xff",
                                       "\xff"
                                       "a"})
    EXPECT_FALSE(decode_series_row(7, bytes)) << bytes;
}

TEST(SeriesRow, OfADeletedSeriesIsOneByte) {
  EXPECT_EQ(encode_deleted_series(), "\xff");
  EXPECT_TRUE(is_deleted_series("\xff"));
  EXPECT_FALSE(
      is_deleted_series("\xff"
                        "a"));
}

}  // namespace
}  // namespace statmill
