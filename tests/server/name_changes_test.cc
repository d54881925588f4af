// Series deleted, emptied and renamed, from the request to the store and back: at once, for ever, and nothing
// else touched.
#include "server/admin/name_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "proto/istatd_lines.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kStart = 1'700'006'400;  // a multiple of six hours: the first slot of a chunk
constexpr int64_t kHour = 3600;

// A store that lets something happen while a query is on its way.
class HookedStore final : public Store {
 public:
  explicit HookedStore(Store& store) : store_(store) {}
  const Tiers& tiers() const override { return store_.tiers(); }
  Status write(const StoreBatch& batch) override { return store_.write(batch); }
  std::unique_ptr<StoreSnapshot> snapshot() override {
    if (const auto hook = std::exchange(before_snapshot, {})) hook();
    auto snapshot = store_.snapshot();
    if (const auto hook = std::exchange(after_snapshot, {})) hook();
    return snapshot;
  }
  Status load(const LoadVisitor& visitor) override { return store_.load(visitor); }
  Status expire(TierNo tier, ChunkNo chunk) override { return store_.expire(tier, chunk); }
  Expiry& expiry() override { return store_.expiry(); }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override { return store_.reclaim(cancelled); }
  StoreStats stats() override { return store_.stats(); }

  std::function<void()> before_snapshot;  // each once
  std::function<void()> after_snapshot;

 private:
  Store& store_;
};

class NameChangesTest : public testing::Test {
 protected:
  NameChangesTest() { restart(); }

  void restart() {
    Retention retention(tiers_);
    ASSERT_TRUE(retention.add_rule("short.* 10s:1h,5m:1d,1h:30d"));
    memory_.restart();
    table_ = std::make_unique<Table>(retention, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery) << recovery.error().message;
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, now().steady);
    changes_ = std::make_unique<NameChanges>(*table_, [this](const SeriesChanges& changes) {
      ++ticks_;
      if (ticks_ == failing_tick_) memory_.fail_next_write({ErrorCode::kIo, "planted"});
      return ticker_->change(changes, now());
    });
  }
  TickTime now() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  void tick() { ASSERT_TRUE(ticker_->tick(now())); }
  void flush() { ASSERT_TRUE(ticker_->flush_all(now())); }
  // Flushes, and lets time pass with as many ticks as the rollup may need.
  void pass(int64_t seconds) {
    flush();
    now_ += seconds;
    for (int i = 0; i < 20; ++i) tick();
  }
  void send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_->apply(batch, now().wall), batch.received) << lines;
  }
  void send_at(const std::string& name, int64_t time_s, int64_t value) {
    send(name + " " + std::to_string(time_s) + " " + std::to_string(value));
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    const QueryEngine engine(*table_, store_, {});
    for (const SeriesInfo& info : engine.list(*Glob::parse("*"), 1000).series) out.push_back(info.name);
    return out;
  }
  Result<QueryAnswer> ask(const std::string& name, int64_t step_s = 10) {
    const QueryEngine engine(*table_, store_, {});
    return engine.run({{name}, kStart - 10 * kHour, now_ + 700, step_s, {}}, now().wall);
  }
  // Of all samples of a series; of several steps, if they agree.
  double sum(const std::string& name) {
    std::vector<double> sums;
    for (const int64_t step_s : {int64_t{10}, int64_t{300}, kHour}) {
      const auto answer = ask(name, step_s);
      EXPECT_TRUE(answer) << answer.error().message;
      double total = 0;
      if (answer) {
        for (const Bucket& b : answer->series.at(0).slots)
          total += stat_of(Stat::kSum, b, answer->series[0].kind, step_s, 10).value_or(0);
      }
      sums.push_back(total);
    }
    EXPECT_EQ(sums, std::vector<double>(3, sums[0])) << name;
    return sums[0];
  }
  void remove(const std::string& name) {
    const auto done = changes_->run(DeleteRequest{.names = {name}, .globs = {}, .from_s = {}, .until_s = {}});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(done->deleted, 1U);
  }
  NameChanges::Deleted erase(const std::string& name, std::optional<int64_t> from_s,
                             std::optional<int64_t> until_s) {
    const auto done =
        changes_->run(DeleteRequest{.names = {name}, .globs = {}, .from_s = from_s, .until_s = until_s});
    EXPECT_TRUE(done) << done.error().message;
    return done.value();
  }
  void rename(const std::string& from, const std::string& to, size_t count = 1) {
    const auto done = changes_->run(RenameRequest{from, to});
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(*done, count);
  }
  // Why it is refused; empty: it is not.
  template <class Request>
  std::string refusal(const Request& request) {
    const auto done = changes_->run(request);
    return done ? "" : done.error().message;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  MemoryStore memory_{tiers_};
  HookedStore store_{memory_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  int ticks_ = 0;
  int failing_tick_ = 0;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<NameChanges> changes_;
};

TEST_F(NameChangesTest, WhatIsDeletedIsGoneAtOnceAndForEver) {
  send("a 1\nb 2\nc 3");
  pass(7 * kHour);  // in all tiers
  send("a 10");
  tick();  // journaled
  send("a 100\nb 200");
  const SeriesId id = table_->copy("a")->id;
  remove("a");
  const auto check = [&] {
    EXPECT_THAT(names(), ElementsAre("b", "c"));
    EXPECT_EQ(ask("a").error().code, ErrorCode::kNotFound);
    EXPECT_EQ(ask("*")->series.size(), 2U);
    EXPECT_EQ(sum("b"), 202);
    EXPECT_EQ(table_->series_count(), 2U);
  };
  check();
  restart();
  check();
  std::atomic<bool> cancelled{false};
  ASSERT_TRUE(store_.reclaim(cancelled));
  for (TierNo t = 0; t < tiers_.count(); ++t)
    EXPECT_EQ(*store_.snapshot()->chunk({t, tiers_[t].chunk_of_time(kStart), id}), "");
}

TEST_F(NameChangesTest, ANewSampleOfADeletedNameMakesANewSeriesOfItsOwnKind) {
  send("a 1");
  flush();
  remove("a");
  restart();  // the deleted one had the highest id
  send("*a 5");
  EXPECT_EQ(table_->copy("a")->kind, Kind::kEvent);
  EXPECT_EQ(table_->copy("a")->id, 1U);
  EXPECT_EQ(sum("a"), 5);
  tick();
  restart();
  EXPECT_EQ(sum("a"), 5);
}

TEST_F(NameChangesTest, ASeriesIsDeletedInTheTickThatItCameIn) {
  send("a 1\nb 1");
  remove("a");
  send("b 1");
  restart();
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_EQ(sum("b"), 1);
}

TEST_F(NameChangesTest, OverACrashADeletionIsDoneOrNotDone) {
  for (const auto effect : {MemoryStore::Effect::kNone, MemoryStore::Effect::kWhole}) {
    send("a 1");
    tick();
    memory_.fail_next_write({ErrorCode::kIo, "planted"}, effect);
    EXPECT_THAT(refusal(DeleteRequest{{"a"}, {}, false, {}, {}}), HasSubstr("changed in memory"));
    EXPECT_THAT(names(), ElementsAre());
    send("a 7");
    EXPECT_EQ(sum("a"), 7);
    restart();
    if (effect == MemoryStore::Effect::kNone) {
      EXPECT_EQ(sum("a"), 1);
    } else {
      EXPECT_THAT(names(), ElementsAre());
    }
  }
}

TEST_F(NameChangesTest, ADeletionThatTheStoreRefusedIsTriedAgain) {
  send("a 1\nb 1");
  flush();
  const SeriesId id = table_->copy("a")->id;
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_NE(refusal(DeleteRequest{{"a"}, {}, false, {}, {}}), "");
  EXPECT_EQ(store_.expiry().class_of(id), kDefaultRetention) << "the store still has it";
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_THAT(refusal(DeleteRequest{{"b"}, {}, false, {}, {}}), HasSubstr("takes no ticks"));
  EXPECT_EQ(sum("b"), 1) << "nothing was begun";
  tick();
  EXPECT_EQ(store_.expiry().class_of(id), kGone);
  restart();
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(NameChangesTest, TheRollupMakesNothingOfADeletedSeries) {
  send("a 1\nb 1");
  flush();
  const SeriesId gone = table_->copy("a")->id;
  const SeriesId kept = table_->copy("b")->id;
  remove("a");
  pass(7 * kHour);
  EXPECT_EQ(*store_.snapshot()->chunk({1, tiers_[1].chunk_of_time(kStart), gone}), "");
  EXPECT_NE(*store_.snapshot()->chunk({1, tiers_[1].chunk_of_time(kStart), kept}), "");
}

TEST_F(NameChangesTest, ARangeIsErasedFromEveryTierAndFromMemory) {
  for (int64_t h = 0; h < 4; ++h) send_at("a", kStart + h * kHour - 3 * kHour, int64_t{1} << h);
  pass(13 * kHour);                           // the first chunk is rolled up
  send_at("a", kStart - 3 * kHour + 20, 16);  // late, in memory
  send_at("a", kStart - kHour + 20, 32);
  EXPECT_EQ(sum("a"), 63);
  const auto done = erase("a", kStart - 2 * kHour, kStart);  // without 2, 4 and 32
  EXPECT_EQ(done.erased, 1U);
  EXPECT_EQ(done.deleted, 0U);
  EXPECT_EQ(sum("a"), 25);
  restart();
  EXPECT_EQ(sum("a"), 25);
  send_at("a", kStart - kHour, 64);
  EXPECT_EQ(sum("a"), 89) << "what comes later counts";
  pass(kHour);
  EXPECT_EQ(sum("a"), 89);
  EXPECT_EQ(erase("a", kStart + 5 * kHour, {}).erased, 0U) << "nothing is there";
}

TEST_F(NameChangesTest, AnErasedRangeIsEmptyWhetherTheStoreHasItYetOrNot) {
  send_at("a", kStart - kHour, 1);
  send_at("a", kStart, 2);
  flush();
  send_at("a", kStart - kHour, 4);
  memory_.fail_next_write({ErrorCode::kIo, "planted"});
  EXPECT_NE(refusal(DeleteRequest{{"a"}, {}, false, {}, kStart}), "");
  EXPECT_EQ(sum("a"), 2);
  send_at("a", kStart - kHour, 8);
  EXPECT_EQ(sum("a"), 10);
  tick();
  EXPECT_EQ(sum("a"), 10);
  restart();
  EXPECT_EQ(sum("a"), 10);
}

TEST_F(NameChangesTest, ARangeWithAllThatIsThereDeletesTheSeries) {
  send_at("a", kStart - kHour, 1);
  send_at("b", kStart - kHour, 1);
  EXPECT_EQ(erase("a", kStart - kHour, {}).deleted, 1U);
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(NameChangesTest, TheLifeOfAnEventSeriesBeginsBehindTheErasedRange) {
  send_at("*e", kStart - 2 * kHour, 6);
  send_at("*e", kStart, 6);
  erase("e", {}, kStart - kHour);
  for (int i = 0; i < 2; ++i) {
    const auto answer = ask("e", kHour);
    const auto slot_at = [&](int64_t time_s) {
      return answer->series[0].slots[static_cast<size_t>((time_s - answer->from_s) / kHour)];
    };
    EXPECT_TRUE(slot_at(kStart - 2 * kHour).is_empty());
    EXPECT_EQ(slot_at(kStart - kHour).count(), 360U) << "silent, within its life";
    restart();
  }
}

TEST_F(NameChangesTest, ARangeHasTheStepsOfTheCoarsestTier) {
  send("a 1");
  const auto says = [&](std::optional<int64_t> from_s, std::optional<int64_t> until_s) {
    return refusal(DeleteRequest{{"a"}, {}, false, from_s, until_s});
  };
  EXPECT_EQ(says(kStart + 1, {}),
            "from 1700006401: must be a multiple of 1h, the step of the coarsest tier, "
            "such as 1700006400 or 1700010000");
  EXPECT_THAT(says({}, kStart + 300), HasSubstr("until 1700006700: must be a multiple of 1h"));
  EXPECT_THAT(says(kStart, kStart), HasSubstr("not after"));
  EXPECT_THAT(says({}, 0), HasSubstr("not after"));
  EXPECT_THAT(says(-kHour, {}), HasSubstr("1970"));
  EXPECT_EQ(sum("a"), 1);
}

TEST_F(NameChangesTest, DeletesByGlobAndRefusesWhatMayNotBeMeant) {
  send("web.1 1\nweb.2 1\ndb.1 1");
  EXPECT_THAT(*changes_->select(DeleteRequest{{"db.1"}, {"web.*", "*.1"}, false, {}, {}}),
              ElementsAre("db.1", "web.1", "web.2"));
  EXPECT_THAT(names(), ElementsAre("db.1", "web.1", "web.2")) << "looking changes nothing";
  EXPECT_THAT(refusal(DeleteRequest{{"web.1", "web.3"}, {}, false, {}, {}}), HasSubstr("\"web.3\""));
  EXPECT_THAT(refusal(DeleteRequest{{}, {"**"}, false, {}, {}}), HasSubstr("all series"));
  EXPECT_THAT(refusal(DeleteRequest{}), HasSubstr("neither"));
  EXPECT_THAT(refusal(DeleteRequest{{}, {"[a"}, false, {}, {}}), HasSubstr("["));
  EXPECT_EQ(names().size(), 3U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"web.*"}, false, {}, {}})->deleted, 2U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"web.*"}, false, {}, {}})->deleted, 0U);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"*"}, true, {}, {}})->deleted, 1U);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(NameChangesTest, ARenamedSeriesKeepsItsSamplesWhereverTheyAre) {
  send("old 1");
  pass(7 * kHour);
  send("old 10");
  tick();
  send("old 100\nother 5");
  const SeriesId id = table_->copy("old")->id;
  rename("old", "short.new");
  const auto check = [&](double total) {
    EXPECT_THAT(names(), ElementsAre("other", "short.new"));
    EXPECT_EQ(ask("old").error().code, ErrorCode::kNotFound);
    EXPECT_EQ(table_->copy("short.new")->id, id);
    EXPECT_EQ(int{table_->copy("short.new")->retention}, 1);
    EXPECT_EQ(int{store_.expiry().class_of(id)}, 1);
    const auto answer = ask("short.new", kHour);
    double of_day = 0;
    for (const Bucket& b : answer->series.at(0).slots) of_day += b.is_empty() ? 0 : b.sum();
    EXPECT_EQ(of_day, total);
  };
  check(111);
  restart();
  check(111);
  send("short.new 1000");
  tick();
  restart();
  check(1111);
  rename("short.new", "old");
  rename("old", "newer");
  restart();
  EXPECT_THAT(names(), ElementsAre("newer", "other"));
}

TEST_F(NameChangesTest, AnOldNameIsFreeForAnotherSeries) {
  send("old 1");
  rename("old", "new");
  send("old 5\nnew 2");
  tick();
  restart();
  EXPECT_EQ(sum("old"), 5);
  EXPECT_EQ(sum("new"), 3);
}

TEST_F(NameChangesTest, RenamesWhatAStarStandsFor) {
  send("web.1.cpu 1\nweb.22.cpu 2\nweb.cpu 3");
  rename("web.*.cpu", "host.*.cpu.all", 2);
  EXPECT_THAT(names(), ElementsAre("host.1.cpu.all", "host.22.cpu.all", "web.cpu"));
  EXPECT_EQ(sum("host.22.cpu.all"), 2);
  rename("none.*", "nothing.*", 0);
}

TEST_F(NameChangesTest, RefusesNamesThatAreTakenOrNone) {
  send("a 1\nb 1\na.1 1\nb.1 1");
  const struct {
    RenameRequest request;
    std::string why;
  } kRefused[] = {
      {{"a", "b"}, "there is a series \"b\" already"},
      {{"a", "a"}, "already"},
      {{"c", "d"}, "no series is called \"c\""},
      {{"a", ""}, "cannot be a name"},
      {{"a", "B"}, "cannot be a name"},
      {{"a", "b c"}, "cannot be a name"},
      {{"a", "x 5"}, "cannot be a name"},
      {{"a", "x^y^z"}, "cannot be a name"},
      {{"a", "x*"}, "in neither"},
      {{"a*", "x"}, "in neither"},
      {{"a**", "x*"}, "one * at most"},
      {{"a.*", "b.*"}, "\"b.1\" already"},
      {{"[a].*", "x.*"}, "only * is understood"},
      {{"a", std::string(kNameBytesMax + 1, 'x')}, "name"},
  };
  for (const auto& [request, why] : kRefused)
    EXPECT_THAT(refusal(request), HasSubstr(why)) << request.from << " " << request.to;
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(NameChangesTest, ManySeriesGoInSlicesAndAFailureSaysHowFarItCame) {
  constexpr size_t kSeries = 2 * NameChanges::kDeletesPerTick + 10;
  std::string lines;
  for (size_t i = 0; i < kSeries; ++i) lines += "s." + std::to_string(i) + " 1\n";
  send(lines);
  failing_tick_ = 2;
  const auto failed = changes_->run(DeleteRequest{{}, {"s.*"}, false, {}, {}});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("500 of 1010 series were deleted before this failed: 500"));
  EXPECT_EQ(ticks_, 2);
  EXPECT_EQ(changes_->run(DeleteRequest{{}, {"s.*"}, false, {}, {}})->deleted, 10U);
  EXPECT_EQ(table_->series_count(), 0U);
  restart();
  EXPECT_EQ(table_->series_count(), 0U);
}

// The pieces in memory are copied, then the name goes, then the snapshot is taken, or the other way around.
TEST_F(NameChangesTest, AQueryOnItsWayAnswersAsBeforeOrAsAfter) {
  for (const bool before_snapshot : {true, false}) {
    send("a 1\nb 2");
    flush();
    send("a 4\nb 8");
    const auto meanwhile = [&](std::function<void()> what) {
      (before_snapshot ? store_.before_snapshot : store_.after_snapshot) = std::move(what);
    };
    meanwhile([&] { rename("b", "c"); });
    EXPECT_EQ(ask("b").has_value(), !before_snapshot);
    meanwhile([&] { rename("c", "b"); });
    const auto both = ask("{b,c}");
    ASSERT_EQ(both->series.size(), 1U);
    meanwhile([&] { remove("a"); });
    const auto gone = ask("a");
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
    remove("b");
  }
}

}  // namespace
}  // namespace statmill
