// Which series the activity of a flush has: all that the catalog has, and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/table/table.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class FlushActivity : public testing::Test {
 protected:
  void send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), batch.received);
  }

  Table table_{*Tiers::parse("10s:10d,5m:1y,1h:6y"), TableLimits{}};
};

// Otherwise the store would have activity of a series that is not in its catalog, and the next start would
// refuse it.
TEST_F(FlushActivity, OmitsSeriesCreatedAfterTheEpochEnded) {
  send("a 1\n");
  const int parity = table_.end_epoch().parity;
  for (int i = 0; i < 1000; ++i) send("later." + std::to_string(i) + " 1\n");
  size_t active = 0;
  for (int shard = 0; shard < kShardCount; ++shard) {
    static_cast<void>(table_.collect(static_cast<ShardNo>(shard), parity, nullptr));
    active += table_.begin_flush(static_cast<ShardNo>(shard), 1).activity.size();
    table_.end_flush(static_cast<ShardNo>(shard));
  }
  EXPECT_EQ(active, 1U);
  const int next = table_.end_epoch().parity;
  for (int shard = 0; shard < kShardCount; ++shard) {
    static_cast<void>(table_.collect(static_cast<ShardNo>(shard), next, nullptr));
    active += table_.begin_flush(static_cast<ShardNo>(shard), 2).activity.size();
  }
  EXPECT_EQ(active, 1U + 1001U);
}

// New series may have the ids of deleted ones, so an older series is not one with a lower id.
TEST_F(FlushActivity, OmitsOnlyNewSeriesWhateverTheirIds) {
  constexpr int kDeleted = 200;
  std::vector<std::string> names;
  std::vector<SeriesId> ids;
  for (int i = 0; i < kDeleted; ++i) send(names.emplace_back("deleted." + std::to_string(i)) + " 1\n");
  for (const std::string& name : names) ids.push_back(table_.summary(name)->id);
  for (int i = 0; i < 1000; ++i) send("early." + std::to_string(i) + " 1\n");
  const std::vector<std::string_view> deletes(names.begin(), names.end());
  const int parity = table_.end_epoch({.deletes = deletes, .slots = {}, .renames = {}}).parity;
  table_.reuse_ids(ids);
  for (int i = 0; i < kDeleted; ++i) send("later." + std::to_string(i) + " 1\n");
  EXPECT_EQ(table_.ids_end(), 1200U);
  size_t active = 0;
  for (int shard = 0; shard < kShardCount; ++shard) {
    static_cast<void>(table_.collect(static_cast<ShardNo>(shard), parity, nullptr));
    for (const SeriesActivity& a : table_.begin_flush(static_cast<ShardNo>(shard), 1).activity) {
      EXPECT_GE(a.id, SeriesId{kDeleted});
      ++active;
    }
  }
  EXPECT_EQ(active, 1000U);
}

}  // namespace
}  // namespace statmill
