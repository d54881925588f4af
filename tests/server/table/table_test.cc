// Table: which samples it refuses and counts, how a series gets its kind, and what a copy contains.
#include "server/table/table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "tests/support/series_copy.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class TableTest : public testing::Test {
 protected:
  explicit TableTest(TableLimits limits = {}) : table_(tiers_, limits) {}

  // Applies the lines and returns how many samples were accepted.
  uint64_t send(const std::string& lines) {
    text_ = lines;
    batch_.clear();
    parse_istatd_lines(text_, batch_);
    const uint64_t accepted = table_.apply(batch_, from_unix_seconds(kNow));
    uint64_t refused = 0;
    for (const uint64_t n : batch_.refused) refused += n;
    EXPECT_EQ(batch_.received, accepted + refused) << lines;
    return accepted;
  }
  uint64_t refused(Refusal reason) const { return batch_.refused[static_cast<size_t>(reason)]; }
  static std::string at(const std::string& name, int64_t time_s) {
    return name + " " + std::to_string(time_s) + " 1\n";
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  Table table_;
  std::string text_;
  Batch batch_;
};

TEST_F(TableTest, RefusesOnlySamplesThatAreTooOldOrTooNew) {
  const int64_t oldest = kNow - tiers_.coarsest().retention_s;
  EXPECT_EQ(
      send(at("a", kNow + 600) + at("a", kNow + 601) + at("a", oldest) + at("a", oldest - 1) + at("a", -5)),
      2U);
  EXPECT_EQ(refused(Refusal::kTooNew), 1U);
  EXPECT_EQ(refused(Refusal::kTooOld), 2U);
}

TEST_F(TableTest, CreatesNoSeriesForARefusedSample) {
  EXPECT_EQ(send(at("ghost", kNow + 1000) + "bad " + std::to_string(kNow) + " 30 0 1 2 3\n"), 0U);
  EXPECT_EQ(refused(Refusal::kBadBucket), 1U);
  EXPECT_EQ(table_.series_count(), 0U);
}

TEST_F(TableTest, ASeriesKeepsTheKindOfItsFirstSample) {
  send("g 5\n*e 5\n%d 5\n");
  EXPECT_EQ(send("*g 7\n%g 7\ne 7\nd 7\n$c e " + std::to_string(kNow) + " 1\ng 6\n*e 6\n"), 2U);
  EXPECT_EQ(refused(Refusal::kKindMismatch), 5U);
  EXPECT_EQ(batch_.other_kinds, 0U);
  EXPECT_EQ(copy_of(table_, "g")->unflushed.at(0).bucket.sum(), 11);
  EXPECT_EQ(copy_of(table_, "e")->unflushed.at(0).bucket.sum(), 11);
  EXPECT_EQ(copy_of(table_, "d")->unflushed.at(0).bucket.sum(), 5);
}

TEST_F(TableTest, TheKindIsCheckedAfterTheTimeAndBeforeTheHistogram) {
  send("%d 5\n");
  EXPECT_EQ(send("d " + std::to_string(kNow) + " 6 20 2 4 2\n" + at("d", 1)), 0U);
  EXPECT_EQ(refused(Refusal::kKindMismatch), 1U) << "no sample of the bucket's kind needs a histogram";
  EXPECT_EQ(refused(Refusal::kTooOld), 1U);
}

TEST_F(TableTest, TheRuleOfTheBatchCountsBeforeThatOfTheTable) {
  Table accepting(tiers_, {.other_kind = OtherKind::kAccept});
  Batch batch;
  const auto send_to_it = [&](std::optional<OtherKind> rule) {
    batch.clear();
    batch.other_kind = rule;
    parse_istatd_lines("g 5\n*g 5\n", batch);
    return accepting.apply(batch, from_unix_seconds(kNow));
  };
  EXPECT_EQ(send_to_it(std::nullopt), 2U);
  EXPECT_EQ(send_to_it(OtherKind::kAccept), 2U);
  EXPECT_EQ(batch.other_kinds, 1U);
  EXPECT_EQ(send_to_it(OtherKind::kRefuse), 1U);
  EXPECT_EQ(batch.other_kinds, 0U);
}

// Whatever comes, a series has the kind of its first sample, and every sample is accounted for.
RC_GTEST_FIXTURE_PROP(TableTest, OtherKindsAreRefusedOrCounted, ()) {
  batch_.other_kind = *rc::gen::element(OtherKind::kRefuse, OtherKind::kAccept);
  const bool accepts = batch_.other_kind == OtherKind::kAccept;
  const auto marks = *rc::gen::container<std::string>(rc::gen::element('g', 'e', 'd', 'c'));
  std::string lines;
  for (const char mark : marks) lines += std::string("$") + mark + " x " + std::to_string(kNow) + " 1\n";
  const auto others = static_cast<uint64_t>(
      std::count_if(marks.begin(), marks.end(), [&](char mark) { return mark != marks.front(); }));
  RC_ASSERT(send(lines) == marks.size() - (accepts ? 0 : others));
  RC_ASSERT(batch_.other_kinds == (accepts ? others : 0));
  RC_ASSERT(refused(Refusal::kKindMismatch) == (accepts ? 0 : others));
  if (marks.empty()) return;
  constexpr std::string_view kMarks = "gedc";  // in the order of Kind
  RC_ASSERT(copy_of(table_, "x")->kind == static_cast<Kind>(kMarks.find(marks.front())));
  RC_ASSERT(copy_of(table_, "x")->unflushed.at(0).bucket.sum() ==
            static_cast<double>(marks.size() - (accepts ? 0 : others)));
}

TEST_F(TableTest, AcceptedOtherKindsCountAsTheKindOfTheSeries) {
  batch_.other_kind = OtherKind::kAccept;
  send("g 5\n*e 5\n");
  EXPECT_EQ(send("*g 7\ne 7\n"), 2U);
  EXPECT_EQ(copy_of(table_, "g")->kind, Kind::kGauge);
  EXPECT_EQ(copy_of(table_, "g")->unflushed.at(0).bucket.count(), 2U);
  EXPECT_EQ(copy_of(table_, "e")->kind, Kind::kEvent);
  EXPECT_EQ(copy_of(table_, "e")->unflushed.at(0).bucket.sum(), 12);
  EXPECT_EQ(batch_.other_kinds, 2U);
}

TEST_F(TableTest, IncrementsOfACounterAddUpInTheirSlot) {
  const std::string line = "$c requests_total " + std::to_string(kNow);
  EXPECT_EQ(send(line + " 5\n" + line + " 2\n"), 2U);
  const auto copy = copy_of(table_, "requests_total");
  EXPECT_EQ(copy->kind, Kind::kCounter);
  EXPECT_EQ(copy->unflushed.at(0).bucket.sum(), 7);
  EXPECT_EQ(copy->unflushed.at(0).bucket.count(), 1U) << "one total";
}

TEST_F(TableTest, FindsEachOfManySeries) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "series." + std::to_string(i) + " " + std::to_string(i) + "\n";
  EXPECT_EQ(send(lines), 20'000U);
  EXPECT_EQ(send(lines), 20'000U);
  EXPECT_EQ(table_.series_count(), 20'000U);
  for (int i = 0; i < 20'000; i += 997) {
    const auto copy = copy_of(table_, "series." + std::to_string(i));
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->unflushed.at(0).bucket.count(), 2U);
    EXPECT_EQ(copy->unflushed.at(0).bucket.mean(), i);
  }
  EXPECT_FALSE(copy_of(table_, "series.20000"));
}

TEST_F(TableTest, TheIndexHasEveryNameAtOnce) {
  const auto names = [this] {
    std::multiset<std::string> out;
    table_.search(*Glob::parse("*"), [&](std::string_view name) { return out.emplace(name) != out.end(); });
    return out;
  };
  std::multiset<std::string> want;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    for (const std::string& name : {"host." + n, "flat" + n, "m;n=" + n}) {
      send(name + " 1\n");
      want.insert(name);
    }
    if (i % 10 != 0) continue;  // what was created since the last search is removed and renamed, too
    const std::vector<std::string_view> gone = {"flat0", "flat7", "m;n=0", "m;n=10", "none"};
    const std::vector<NewName> renamed = {{"host.0", "moved"}, {"host.20", "moved.20"}, {"moved", "host.0"}};
    table_.end_epoch({.deletes = gone, .slots = {}, .renames = renamed});
    for (const std::string_view name : gone) want.erase(std::string(name));
    if (want.erase("host.20") > 0) want.insert("moved.20");
    for (int shard = 0; shard < kShardCount; ++shard) {
      for (const int parity : {0, 1}) {
        static_cast<void>(table_.collect(static_cast<ShardNo>(shard), parity, nullptr));
      }
    }
    if (i % 20 == 0) {
      EXPECT_EQ(names(), want) << i;
    }
  }
  EXPECT_EQ(names(), want);
}

TEST_F(TableTest, IndexesAtMostAsManyNamesAsItMay) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "flood." + std::to_string(i) + " 1\n";
  send(lines);
  EXPECT_EQ(table_.unindexed_count(), 3000U);
  table_.index_names(1500);
  EXPECT_EQ(table_.unindexed_count(), 1500U);
  size_t found = 0;
  table_.search(*Glob::parse("flood.*"), [&](std::string_view) { return ++found > 0; });
  EXPECT_EQ(found, 3000U) << "a search indexes the others";
  EXPECT_EQ(table_.unindexed_count(), 0U);
}

// A removed series leaves its number in the queue of the index, and the next series of that size has the
// same.
TEST_F(TableTest, ASeriesMayGoBeforeItsNameIsIndexed) {
  const std::vector<std::string_view> gone = {"short"};
  for (int i = 0; i < 3; ++i) {
    send("short 1\n");
    static_cast<void>(table_.collect(table_.shard_of_name("short"), table_.end_epoch().parity, nullptr));
    ASSERT_EQ(table_.end_epoch({.deletes = gone, .slots = {}, .renames = {}}).changed.deleted.size(), 1U);
  }
  EXPECT_EQ(table_.unindexed_count(), 3U) << "no name is indexed for its removal";
  send("later 1\n");
  std::vector<std::string> found;
  table_.search(*Glob::parse("*"), [&](std::string_view name) { return !found.emplace_back(name).empty(); });
  EXPECT_EQ(found, std::vector<std::string>{"later"});
}

TEST_F(TableTest, ACopyHasEverySampleFromDeltaToFlush) {
  send("a 1\na 2\n");
  const ShardNo shard = copy_of(table_, "a")->shard;
  const int parity = table_.end_epoch().parity;
  send("a 4\n");
  const auto sum = [&] {
    double total = 0;
    const auto copy = copy_of(table_, "a");
    for (const SlotBucket& b : copy->unflushed) total += b.bucket.sum();
    for (const SlotBucket& b : copy->flushing_buckets) total += b.bucket.sum();
    return total;
  };
  EXPECT_EQ(sum(), 7);
  JournalDraft draft;
  const std::vector<SeriesRow> created = table_.collect(shard, parity, &draft);
  const std::string bytes = draft.bytes();
  Reader entry(bytes);
  EntryReference reference;
  EXPECT_EQ(decode_entry(entry, reference)->bucket.sum(), 3);
  EXPECT_FALSE(draft.is_empty());
  ASSERT_EQ(created.size(), 1U);
  EXPECT_EQ(created[0].name, "a");
  EXPECT_EQ(sum(), 7);
  const ShardFlush flush = table_.begin_flush(shard, 9);
  ASSERT_EQ(flush.series.size(), 1U);
  EXPECT_EQ(flush.series[0].window->buckets(Combine::kMerge)[0].bucket.sum(), 3);
  EXPECT_EQ(sum(), 7);
  EXPECT_EQ(copy_of(table_, "a")->flushing_tick, 9U);
  table_.end_flush(shard);
  EXPECT_EQ(sum(), 4);
  EXPECT_EQ(copy_of(table_, "a")->flushed_tick, 9U);
  EXPECT_EQ(table_.ram_bytes(), DeltaPool::kNodeBytes) << "one bucket is left";
}

TEST_F(TableTest, ASeriesIsStoredAgainWhenItsSamplesComeInWiderBuckets) {
  send("%d h5 3 3:1\n");
  const ShardNo shard = copy_of(table_, "d")->shard;
  const auto rows = [&] {
    JournalDraft draft;
    return table_.collect(shard, table_.end_epoch().parity, &draft);
  };
  ASSERT_EQ(rows().size(), 1U);
  send("%d h3 3 3:1\n%d h3 3 3:1\n");
  const std::vector<SeriesRow> wider = rows();
  ASSERT_EQ(wider.size(), 1U);
  EXPECT_EQ(wider[0].joined_power, 2);
  EXPECT_EQ(table_.pieces("d", false)->joined_power, 2);
  send("%d h4 3 3:1\n");
  EXPECT_EQ(rows().size(), 0U);
  EXPECT_EQ(table_.pieces("d", false)->joined_power, 2) << "the widest of all";
}

// The bounded search along the chain does not find these slots.
TEST_F(TableTest, MergesManySlotsOfOneEpochInAnyOrder) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) {
    const int64_t time_s = kNow - 10 * (i * 7 % 100);
    lines += "a " + std::to_string(time_s) + " 1\n*e " + std::to_string(time_s) + " 2\n";
  }
  EXPECT_EQ(send(lines), 2000U);
  const auto check = [&] {
    for (const char* name : {"a", "e"}) {
      const auto buckets = copy_of(table_, name)->unflushed;
      ASSERT_EQ(buckets.size(), 100U);
      for (const SlotBucket& b : buckets) EXPECT_EQ(b.bucket.sum(), name[0] == 'a' ? 10 : 20);
    }
  };
  check();
  const int parity = table_.end_epoch().parity;
  for (int shard = 0; shard < kShardCount; ++shard)
    table_.collect(static_cast<ShardNo>(shard), parity, nullptr);
  check();
}

class SmallTableTest : public TableTest {
 protected:
  SmallTableTest()
      : TableTest({.series_max = 3, .pending_bytes = 10 * DeltaPool::kNodeBytes, .future_max = Duration(0)}) {
  }
};

TEST_F(SmallTableTest, RefusesOnlyNewNamesOverTheLimit) {
  EXPECT_EQ(send("a 1\nb 1\nc 1\n"), 3U);
  EXPECT_EQ(send("d 1\ne 1\na 2\n"), 1U);
  EXPECT_EQ(refused(Refusal::kSeriesLimit), 2U);
  EXPECT_EQ(copy_of(table_, "a")->unflushed.at(0).bucket.count(), 2U);
}

TEST_F(SmallTableTest, IdleSeriesDoNotCount) {
  send(at("a", kNow - 100) + at("b", kNow) + at("c", kNow));
  EXPECT_EQ(table_.active_count(), 3U);
  table_.count_active(kNow / 10 - 5);
  EXPECT_EQ(table_.active_count(), 2U);
  EXPECT_EQ(send("d 1\ne 1\na 2\n"), 2U);
  EXPECT_EQ(refused(Refusal::kSeriesLimit), 1U);
  EXPECT_EQ(table_.series_count(), 4U);
  const ShardNo shard = table_.shard_of_name("a");
  static_cast<void>(
      table_.begin_flush(shard, 1, {.kept_from = {}, .silent_max = 0, .active_from = kNow / 10 - 5}));
  EXPECT_EQ(table_.active_count(), 4U) << "its flush finds that it is active again";
  table_.end_flush(shard);
  EXPECT_EQ(send("e 1\n"), 0U);
}

class SenderLimitTest : public TableTest {
 protected:
  SenderLimitTest() : TableTest({.series_max = 9, .sender_series_max = 2}) {}

  static LineSender host(uint8_t first_byte, uint16_t port = 0) {
    return LineSender::host({first_byte}, port);
  }
  uint64_t send_from(const LineSender& sender, const std::string& lines) {
    batch_.set_sender(sender);
    return send(lines);
  }
};

TEST_F(SenderLimitTest, RefusesNewNamesOnlyFromASenderOverItsLimit) {
  EXPECT_EQ(send_from(host(1, 1000), "a 1\nb 1\n"), 2U);
  EXPECT_EQ(send_from(host(1, 1000), "c 1\n"), 0U);
  EXPECT_EQ(refused(Refusal::kSenderLimit), 1U);
  EXPECT_EQ(send_from(host(1, 2000), "c 1\n"), 0U) << "another port is the same sender";
  EXPECT_EQ(send_from(host(2), "a 1\nb 1\nc 1\nd 1\n"), 4U) << "any sender may use existing names";
  EXPECT_EQ(send_from(host(2), "e 1\n"), 0U);
  EXPECT_EQ(send_from(host(1), "c 2\nd 2\ne 2\n"), 2U);
  EXPECT_EQ(send_from(LineSender::http(), "f 1\ng 1\nh 1\n"), 2U);
  EXPECT_EQ(table_.series_count(), 6U) << "refused series are not counted";
}

TEST_F(SenderLimitTest, TheServersOwnSeriesHaveOnlyTheLimitOfAllSeries) {
  EXPECT_EQ(send_from(LineSender{}, "a 1\nb 1\nc 1\nd 1\ne 1\n"), 5U);
  EXPECT_EQ(send_from(LineSender{}, "f 1\ng 1\nh 1\ni 1\nj 1\n"), 4U);
  EXPECT_EQ(refused(Refusal::kSeriesLimit), 1U);
  EXPECT_EQ(table_.series_created(), 9U);
}

TEST(SenderLimit, CountsSendersOverTheLimitAsOne) {
  SenderLimit limit(2);
  const auto host = [](uint32_t n) {
    const auto byte = [n](int shift) { return static_cast<uint8_t>(n >> shift); };
    return LineSender::host({byte(16), byte(8), byte(0)});
  };
  uint32_t n = 0;
  for (; n < SenderLimit::kSendersMax; ++n) ASSERT_TRUE(limit.admit(host(n)));
  EXPECT_TRUE(limit.admit(host(n)));
  EXPECT_TRUE(limit.admit(host(n + 1)));
  EXPECT_FALSE(limit.admit(host(n + 2)));
  EXPECT_TRUE(limit.admit(host(0))) << "a known sender has its own count";
  EXPECT_FALSE(limit.admit(host(0)));
  EXPECT_EQ(limit.sender_count(), SenderLimit::kSendersMax);
}

TEST_F(SmallTableTest, RefusesSamplesAboveTwiceThePendingLimit) {
  std::string lines;
  for (int i = 0; i < 21; ++i) lines += at("a", kNow - 10 * i);
  EXPECT_EQ(send(lines), 21U);
  EXPECT_EQ(send("a 1\nb 2\n"), 0U);
  EXPECT_EQ(refused(Refusal::kMemoryLimit), 2U);
}

}  // namespace
}  // namespace statmill
