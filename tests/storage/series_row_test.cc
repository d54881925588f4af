#include "storage/series_row.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(SeriesRow, HasKindAndJoinedPowerInTheFirstByte) {
  for (const Kind kind : kKinds) {
    for (uint8_t power = 0; power <= kSentJoinedPowerMax; ++power) {
      const std::string bytes = encode_series_row({7, kind, "web.took;host=a", power});
      EXPECT_EQ(bytes,
                std::string(1, static_cast<char>(static_cast<int>(kind) + 16 * power)) + "web.took;host=a");
      const auto row = decode_series_row(7, bytes);
      ASSERT_TRUE(row);
      EXPECT_EQ(row->id, 7U);
      EXPECT_EQ(row->kind, kind);
      EXPECT_EQ(row->name, "web.took;host=a");
      EXPECT_EQ(row->joined_power, power);
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
