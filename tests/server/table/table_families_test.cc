// How units and help come to families, and what becomes of them when series are renamed and deleted.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "proto/statsd/parser.h"
#include "server/table/table.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class TableFamiliesTest : public testing::Test {
 protected:
  static TableLimits limits() {
    TableLimits limits;
    limits.families.families_max = 4;
    return limits;
  }
  void send(std::string lines) {
    text_ = std::move(lines);
    batch_.clear();
    parse_istatd_lines(text_, batch_);
    table_.apply(batch_, from_unix_seconds(kNow));
  }
  void tick(const SeriesChanges& changes = {}) {
    const int parity = table_.end_epoch(changes).parity;
    static_cast<void>(table_.take_family_changes());
    for (size_t shard = kShardCount; shard-- > 0;) {
      static_cast<void>(table_.collect(static_cast<ShardNo>(shard), parity, nullptr));
      static_cast<void>(table_.begin_flush(static_cast<ShardNo>(shard), ++tick_));
      table_.end_flush(static_cast<ShardNo>(shard));
    }
  }
  void remove(std::vector<std::string_view> names) { tick({.deletes = names, .slots = {}, .renames = {}}); }
  void rename(std::string_view from, std::string_view to) {
    const NewName names{from, to};
    tick({.deletes = {}, .slots = {}, .renames = {&names, 1}});
  }
  std::string unit(const std::string& path, Kind kind = Kind::kGauge) const {
    const auto row = table_.families().find({path, kind});
    return row ? row->unit : "unknown";
  }

  Table table_{*Tiers::parse("10s:10d,5m:1y"), limits()};
  std::string text_;
  Batch batch_;
  TickNo tick_ = 0;
};

TEST_F(TableFamiliesTest, ComeWithBatches) {
  send("$m g room.heat celsius Heat.\nroom.heat;door=1 20\n");
  EXPECT_EQ(unit("room.heat"), "celsius");
  EXPECT_EQ(batch_.received, 1U);
}

TEST_F(TableFamiliesTest, AreRefusedAboveTheLimitWithTheirSender) {
  for (const char* path : {"a", "b", "c", "d", "e"}) send("$m g " + std::string(path) + " s x\n");
  EXPECT_EQ(batch_.received, 1U);
  EXPECT_EQ(batch_.refused[static_cast<size_t>(Refusal::kMetadataLimit)], 1U);
  ASSERT_EQ(batch_.refused_lines.size(), 1U);
  EXPECT_EQ(batch_.refused_lines.front().text, "e");
  EXPECT_TRUE(batch_.families.empty()) << "it does not count as a metadata line";
  EXPECT_EQ(table_.families().refused(), 1U);
}

TEST_F(TableFamiliesTest, TimersOfStatsdAreInMilliseconds) {
  StatsdBatch batch;
  parse_statsd_lines("web.latency:12|ms|#host:a\nweb.size:5|h\nweb.load:5|d\nweb.wait:7:8|ms\n", batch);
  table_.apply(batch.batch, from_unix_seconds(kNow));
  EXPECT_EQ(unit("web.latency", Kind::kDistribution), "ms");
  EXPECT_EQ(unit("web.wait", Kind::kDistribution), "ms");
  EXPECT_EQ(unit("web.size", Kind::kDistribution), "unknown");
  EXPECT_EQ(unit("web.load", Kind::kDistribution), "unknown");
}

TEST_F(TableFamiliesTest, AreForgottenWithTheirLastSeries) {
  send("$m g heat celsius Heat.\nheat;room=1 1\nheat;room=2 1\n");
  tick();
  remove({"heat;room=1"});
  EXPECT_EQ(unit("heat"), "celsius");
  remove({"heat;room=2"});
  EXPECT_EQ(unit("heat"), "unknown");
}

TEST_F(TableFamiliesTest, AreOfTheirKindOnly) {
  send("$m g heat celsius x\n$m e heat s x\nheat;room=1 1\n*heat;room=2 1\n");
  tick();
  remove({"heat;room=2"});
  EXPECT_EQ(unit("heat"), "celsius");
  EXPECT_EQ(unit("heat", Kind::kEvent), "unknown");
}

TEST_F(TableFamiliesTest, SurviveTheirLastSeriesIfTheyWereJustSent) {
  send("$m g heat celsius x\nheat 1\n");
  tick();
  send("$m g heat celsius x\n");
  remove({"heat"});
  EXPECT_EQ(unit("heat"), "celsius");
}

TEST_F(TableFamiliesTest, FollowRenamedSeries) {
  send("$m g heat celsius x\nheat;room=1 1\nheat;room=2 1\n");
  tick();
  rename("heat;room=1", "warmth;room=1");
  EXPECT_EQ(unit("warmth"), "celsius");
  EXPECT_EQ(unit("heat"), "celsius");
  rename("heat;room=2", "warmth;room=2");
  EXPECT_EQ(unit("warmth"), "celsius");
  EXPECT_EQ(unit("heat"), "unknown");
}

TEST_F(TableFamiliesTest, KeepTheTextsOfTheNewPath) {
  send("$m g heat celsius x\n$m g warmth kelvin x\nheat 1\nwarmth;room=2 1\n");
  tick();
  rename("heat", "warmth;room=1");
  EXPECT_EQ(unit("warmth"), "kelvin");
}

TEST_F(TableFamiliesTest, StayWhereARenameIsNotPossible) {
  send("$m g heat celsius x\nheat 1\nwarmth 1\n");
  tick();
  rename("heat", "warmth");
  EXPECT_EQ(unit("heat"), "celsius");
  EXPECT_EQ(unit("warmth"), "unknown");
}

TEST_F(TableFamiliesTest, PathsWithEscapesAreFound) {
  send("$m g a%20b celsius x\n$g a%20b;c=d 1700000000 1\n$g a%20b 1700000000 1\n");
  tick();
  remove({"nothing", "a%20b;x=y"});
  EXPECT_EQ(unit("a%20b"), "celsius");
}

}  // namespace
}  // namespace statmill
