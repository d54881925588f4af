// Exemplars from the batch that has them to the store: each is in the tick of its samples, belongs to the
// series that has the name then, and goes with it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class ExemplarTicks : public testing::Test {
 protected:
  ExemplarTicks() { start(); }

  // Starts with what the store has, as after kill -9.
  void start() {
    ticker_.reset();
    table_ = std::make_unique<Table>(tiers_, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_},
                                       TickOptions{}, recovery->start, time().steady);
    ticker_->begin(time());
  }
  TickTime time() const { return {from_unix_seconds(now_), SteadyTime(std::chrono::seconds(now_))}; }
  // Sends a sample of the series, unless there is none, and an exemplar. Returns whether it was accepted.
  bool send(std::string_view series, double value, int64_t time_s, bool has_sample = true) {
    return send_with(series, value, {time_s, time_s}, has_sample);
  }
  struct Times {
    int64_t sample_s;
    int64_t exemplar_s;
  };
  bool send_with(std::string_view series, double value, Times times, bool has_sample = true) {
    Batch batch;
    if (has_sample) {
      Sample& sample = batch.samples.emplace_back();
      sample.name = series;
      sample.time_s = times.sample_s;
      sample.value = Number::of(1);
      batch.received = 1;
    }
    const std::vector<LabelView> labels = {{"trace_id", "abc"}};
    batch.add_exemplar({series, times.exemplar_s * 1000, true, value, {}}, labels);
    EXPECT_EQ(table_->apply(batch, time().wall), batch.received);
    return batch.exemplars_accepted == 1;
  }
  void tick() { ASSERT_TRUE(ticker_->tick(time())); }
  void change(const SeriesChanges& changes) { ASSERT_TRUE(ticker_->change(changes, time())); }
  SeriesId id(std::string_view series) const { return table_->summary(series)->id; }
  // Returns the values and slots that the store has, "5@170 ".
  std::string stored(SeriesId id) {
    std::string out;
    EXPECT_TRUE(store_.snapshot()->exemplars({id}, [&](const ExemplarRow& row) {
      out += std::to_string(static_cast<int>(row.value)) + "@" + std::to_string(row.key.slot - kStart / 10) +
             " ";
      return true;
    }));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:12h,5m:1d");
  MemoryStore store_{tiers_};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  int64_t now_ = kStart;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
};

TEST_F(ExemplarTicks, AreDurableWithTheirTick) {
  EXPECT_TRUE(send("a", 5, now_));
  EXPECT_EQ(stored(id("a")), "");
  tick();
  EXPECT_EQ(stored(id("a")), "5@0 ");
  EXPECT_TRUE(send("a", 9, now_));  // lost, as its sample is
  start();
  EXPECT_TRUE(send("a", 4, now_));
  EXPECT_TRUE(send("a", 1, now_ - 10));
  tick();
  EXPECT_EQ(stored(id("a")), "1@-1 5@0 ");
}

TEST_F(ExemplarTicks, ComeAgainWithABatchWhoseWriteFailed) {
  for (const auto effect : {MemoryStore::Effect::kNone, MemoryStore::Effect::kWhole}) {
    now_ += 10;
    EXPECT_TRUE(send("a", 5, now_));
    store_.fail_next_write({ErrorCode::kIo, "disk"}, effect);
    EXPECT_FALSE(ticker_->tick(time()));
    EXPECT_TRUE(send("a", 7, now_));
    tick();
  }
  EXPECT_EQ(stored(id("a")), "7@1 7@2 ");
}

TEST_F(ExemplarTicks, NeedASeriesAndATimeThatIsKept) {
  EXPECT_FALSE(send("none", 5, now_, false));
  EXPECT_TRUE(send("a", 5, now_));
  EXPECT_TRUE(send("a", 5, now_ - 11 * 3600, false));
  EXPECT_FALSE(send("a", 5, now_ - 13 * 3600, false));
  EXPECT_FALSE(send("a", 5, now_ + 3600, false));
  EXPECT_FALSE(send("a", 5, -1, false));
  const ExemplarTable& counts = table_->exemplars();
  EXPECT_EQ(counts.accepted(), 2U);
  EXPECT_EQ(counts.refused(ExemplarRefusal::kSeries), 1U);
  EXPECT_EQ(counts.refused(ExemplarRefusal::kTime), 3U);
}

TEST_F(ExemplarTicks, GoWithTheirSeries) {
  send("a", 5, now_);
  send("b", 6, now_);
  tick();
  const SeriesId a = id("a");
  send("a", 7, now_);
  send("b", 7, now_);
  const std::string_view name = "a";
  change({.deletes = {&name, 1}, .slots = {}, .renames = {}});
  EXPECT_EQ(stored(a), "");
  EXPECT_EQ(stored(id("b")), "7@0 ");
  EXPECT_TRUE(send("a", 1, now_));
  tick();
  EXPECT_NE(id("a"), a);
  EXPECT_EQ(stored(a), "");
  EXPECT_EQ(stored(id("a")), "1@0 ");
}

TEST_F(ExemplarTicks, GoWithAnErasedRange) {
  send("a", 5, now_ - 600);
  send("a", 6, now_);
  tick();
  const std::string_view name = "a";
  const Slot slot = now_ / 10;
  change({.deletes = {&name, 1}, .slots = SlotRange{slot - 30, slot + 30}, .renames = {}});
  EXPECT_EQ(stored(id("a")), "5@-60 ");
}

// A counter that is scraped each minute counts an observation of the minute before.
TEST_F(ExemplarTicks, GoWithAnErasedRangeAlsoBeforeTheFirstSample) {
  const std::string_view name = "a";
  const Slot slot = now_ / 10;
  send_with("a", 5, {now_, now_ - 50});
  now_ += 300;
  send("a", 6, now_);
  tick();
  EXPECT_EQ(stored(id("a")), "5@-5 6@30 ");
  change({.deletes = {&name, 1}, .slots = SlotRange{slot - 30, slot + 3}, .renames = {}});
  EXPECT_EQ(stored(id("a")), "6@30 ");
  send_with("a", 7, {now_, now_ - 350}, false);
  tick();
  EXPECT_EQ(stored(id("a")), "7@-5 6@30 ");
  change({.deletes = {&name, 1}, .slots = SlotRange{slot - 30, slot}, .renames = {}});
  EXPECT_EQ(stored(id("a")), "6@30 ") << "where no sample is";
}

TEST_F(ExemplarTicks, StayWithARenamedSeries) {
  send("a", 5, now_);
  const NewName names{"a", "b"};
  change({.deletes = {}, .slots = {}, .renames = {&names, 1}});
  EXPECT_EQ(stored(id("b")), "5@0 ");
  EXPECT_FALSE(send("a", 6, now_, false));
  EXPECT_TRUE(send("b", 6, now_, false));
  tick();
  EXPECT_EQ(stored(id("b")), "6@0 ");
}

}  // namespace
}  // namespace statmill
