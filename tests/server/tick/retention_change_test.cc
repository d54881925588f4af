// A retention that changes while the server runs: what is dropped, what stays, and what is there again.
#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "tests/server/tick/retention_fixture.h"
#include "tests/support/series_copy.h"

namespace statmill {
namespace {

class RetentionChange : public RetentionFixture {
 protected:
  RetentionChange() { restart({"short.* 10s:1d,5m:50d,1h:100d"}); }

  void change(const std::vector<std::string>& rules) {
    ASSERT_TRUE(ticker_->set_retention(retention_of(tiers_, rules), time()));
  }
};

TEST_F(RetentionChange, AShorterOneAppliesAtOnceAndToItsClassOnly) {
  for (const char* name : {"short.a", "other"}) send(name, kStart);
  pass(40 * kDay);  // longer than a chunk of any tier
  send("short.a", now_);
  EXPECT_EQ(count("short.a", kStart, kStart + kDay, kHour), 1U);
  change({"short.* 10s:1h,5m:1h,1h:2h"});
  EXPECT_EQ(count("short.a", kStart, kStart + kDay, kHour), 0U) << "without a tick";
  EXPECT_EQ(count("short.a", now_ - kHour, now_ + 10, 10), 1U);
  EXPECT_EQ(count("other", kStart, kStart + kDay, kHour), 1U);
  tick();
  reclaim();
  EXPECT_FALSE(is_stored(1, kStart, 0) || is_stored(2, kStart, 0));
  EXPECT_TRUE(is_stored(1, kStart, 1) && is_stored(2, kStart, 1));
}

TEST_F(RetentionChange, AShorterOneDeletesWhatIsPastItInAllClasses) {
  send("other", kStart);
  send("live", kStart);
  pass(20 * kDay);
  EXPECT_TRUE(is_stored(1, kStart, 0));
  ASSERT_TRUE(
      ticker_->set_retention(retention_of(*Tiers::parse("10s:1d,5m:2d,1h:3d"), {"short.* 5m:2d"}), time()));
  EXPECT_EQ(store_.expiry().floor(1), 0U);
  pass(60);
  EXPECT_EQ(store_.expiry().floor(1), tiers_[1].chunk_of_time(now_ - 60 - 2 * kDay));
  EXPECT_EQ(table_->summary("other"), std::nullopt) << "nothing is kept of it";
}

TEST_F(RetentionChange, ALongerOneKeepsWhatIsStillThere) {
  send("short.a", kStart);
  pass(kDay / 2);
  change({"short.* 10s:3d,5m:50d,1h:100d"});
  pass(2 * kDay);
  reclaim();
  EXPECT_EQ(ask("short.a", kStart, kStart + 600, 10).tier_s, 10);
  EXPECT_EQ(count("short.a", kStart, kStart + 600, 10), 1U);
}

TEST_F(RetentionChange, WhatNobodyHasDroppedYetIsThereAgain) {
  send("short.a", kStart);
  pass(40 * kDay);
  send("short.a", now_);
  change({"short.* 10s:1h,5m:1h,1h:2h"});
  EXPECT_EQ(count("short.a", kStart, kStart + 600, 600), 0U);
  change({"short.* 10s:1d,5m:50d,1h:100d"});
  EXPECT_EQ(count("short.a", kStart, kStart + 600, 600), 1U);
}

TEST_F(RetentionChange, SamplesAreTooOldByTheOneInUse) {
  now_ = kStart + 100 * kDay;
  EXPECT_EQ(send("short.a", now_ - 140 * kDay), 0U);
  change({"short.* 10s:1d,5m:50d,1h:150d"});
  EXPECT_EQ(send("short.a", now_ - 140 * kDay), 1U);
  EXPECT_EQ(send("short.a", now_ - 151 * kDay), 0U);
  change({"short.* 10s:1d,5m:7d,1h:30y"});
  EXPECT_EQ(send("short.a", now_ - 10 * 365 * kDay), 1U) << "longer than any class was kept before";
}

TEST_F(RetentionChange, SecondsBeginAndEndWithTheFlushesThatFollow) {
  send("short.a", kStart);
  EXPECT_FALSE(copy_of(*table_, "short.a")->is_detailed);
  change({"short.* 1s:2h,10s:1d,5m:50d,1h:100d"});
  flush();
  EXPECT_TRUE(copy_of(*table_, "short.a")->is_detailed);
  send("short.a", kStart + 1);
  send("short.a", kStart + 2);
  flush();
  EXPECT_EQ(ask("short.a", kStart, kStart + 10, 1).tier_s, 10) << "the seconds lack the sample before";
  EXPECT_EQ(count("short.a", kStart, kStart + 10, 10), 3U);
  change({"short.* 10s:1d,5m:50d,1h:100d"});
  flush();
  EXPECT_FALSE(copy_of(*table_, "short.a")->is_detailed);
  EXPECT_EQ(count("short.a", kStart, kStart + 10, 10), 3U);
}

TEST_F(RetentionChange, CutoffsSayWhatAnotherOneWouldKeep) {
  send("short.a", kStart);
  pass(60 * kDay);
  const Retention next = retention_of(tiers_, {"short.* 10s:1h,5m:2d,1h:20y"});
  const Ticker::Cutoffs said = ticker_->cutoffs(next);
  ASSERT_TRUE(ticker_->set_retention(next, time()));
  for (RetentionClass c = 0; c < 2; ++c) {
    for (TierNo t = 0; t < 3; ++t) EXPECT_EQ(store_.expiry().cutoff(t, c), said[c][t]) << +c << " " << +t;
  }
  EXPECT_GT(said[1][1], said[0][1]);
}

// A chunk whose finest rows were dropped while the retention was shorter: late events add to its totals.
class LateEvents : public RetentionChange {
 protected:
  static constexpr const char* kLong = "short.* 10s:10d,5m:50d,1h:100d";
  static constexpr const char* kShort = "short.* 10s:1d,5m:50d,1h:100d";

  void SetUp() override {
    restart({kLong});
    for (const int64_t age_s : {0, 10, 20}) ASSERT_EQ(send("*short.a", kStart + age_s), 1U);
    pass(5 * kDay);
    change({kShort});
    reclaim();
    ASSERT_FALSE(is_stored(0, kStart, 0));
    ASSERT_EQ(total("short.a"), 15);
  }
  double total(const std::string& series, int64_t step_s = 300) {
    const QueryAnswer answer = ask(series, kStart, kStart + kHour, step_s);
    double out = 0;
    for (size_t i = 0; i < answer.bins.count; ++i) {
      if (const auto sum = stat_at(Stat::kSum, answer, answer.series.at(0), i)) out += sum->value();
    }
    return out;
  }
  void expect_all(const std::string& series) {
    ASSERT_EQ(send("*" + series, kStart + 30), 1U);
    flush();
    for (const int64_t step_s : {300, 3600}) EXPECT_EQ(total(series, step_s), 20) << step_s;
  }
};

TEST_F(LateEvents, AddToTotalsAfterALongerOne) {
  change({kLong});
  expect_all("short.a");
}

TEST_F(LateEvents, AddToTotalsAfterALongerOneAndAStart) {
  change({kLong});
  restart({kLong});
  expect_all("short.a");
}

TEST_F(LateEvents, AddToTotalsAfterAStartWithALongerOne) {
  restart({kLong});
  expect_all("short.a");
}

TEST_F(LateEvents, AddToTotalsAfterStartsWithOtherRules) {
  restart({"s* 10s:10d"});
  restart({"other 10s:1d", "*.a 10s:10d,5m:50d,1h:100d"});
  expect_all("short.a");
}

TEST_F(LateEvents, AddToTotalsOfARenamedSeries) {
  const NewName names{"short.a", "long.a"};
  ASSERT_TRUE(ticker_->change({.deletes = {}, .slots = {}, .renames = {&names, 1}}, time()));
  restart({kShort});
  expect_all("long.a");
}

// What the store knows of it comes before the first row can be dropped.
TEST_F(RetentionChange, ACutoffIsStoredBeforeItIsUsed) {
  send("short.a", kStart);
  pass(5 * kDay);
  const auto stored = [&] { return (*store_.snapshot()->whole())->classes.at(1).whole_from; };
  EXPECT_EQ(store_.expiry().cutoff(0, 1), stored());
  const ChunkNo before = stored();
  store_.fail_next_write(Error{ErrorCode::kIo, "planted"});
  EXPECT_FALSE(ticker_->set_retention(retention_of(tiers_, {"short.* 10s:1h,5m:50d"}), time()));
  EXPECT_EQ(table_->retention().tiers(1).text(), "10s:1d,5m:50d,1h:100d");
  EXPECT_EQ(store_.expiry().cutoff(0, 1), before);
  change({"short.* 10s:1h,5m:50d"});
  EXPECT_GT(stored(), before);
  EXPECT_EQ(store_.expiry().cutoff(0, 1), stored());
}

// What a naive model says of one series: which samples must be there, and which must not.
class KeptSamples {
 public:
  void add(int64_t time_s) { must_stay_.emplace(time_s, true); }
  // From now on nothing is promised of older samples, even if a longer retention follows.
  void expire(int64_t before_s) {
    for (auto at = must_stay_.begin(); at != must_stay_.lower_bound(before_s); ++at) at->second = false;
  }
  std::pair<uint64_t, uint64_t> least_and_most(int64_t shown_from_s) const {
    std::pair<uint64_t, uint64_t> out;
    for (const auto& [time_s, must_stay] : must_stay_) {
      out.first += must_stay ? 1U : 0U;
      out.second += time_s >= shown_from_s ? 1U : 0U;
    }
    return out;
  }

 private:
  std::multimap<int64_t, bool> must_stay_;
};

class RandomRetention : public RetentionFixture, public testing::WithParamInterface<uint64_t> {
 protected:
  RandomRetention() : RetentionFixture("10s:5d") { restart(retention()); }

  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  Retention retention() const {
    const auto text = [this](const char* name) { return "10s:" + std::to_string(days_.at(name)) + "d"; };
    return retention_of(*Tiers::parse(text("other")), {"a " + text("a")});
  }
  void send_some() {
    for (const auto& [name, days] : days_) {
      for (const int64_t age_s : {int64_t{0}, below(days * kDay)}) {
        const int64_t time_s = (now_ - age_s) / 10 * 10;
        if (send(name, time_s) == 1) kept_[name].add(time_s);
        newest_s_ = std::max(newest_s_, time_s);
      }
    }
  }
  void change_one() {
    (below(2) == 0 ? days_["a"] : days_["other"]) = 1 + below(12);
    ASSERT_TRUE(ticker_->set_retention(retention(), time()));
  }
  // A chunk of 6 h goes when all of it is too old. The time of the clock guard is a minute late, and at most
  // an hour after the newest sample.
  void compare() {
    const int64_t guarded_s = std::min(now_, newest_s_ + kHour) - 60;
    for (auto& [name, samples] : kept_) {
      const int64_t kept_s = days_[name] * kDay;
      samples.expire(now_ - kept_s);
      const auto [least, most] = samples.least_and_most(guarded_s - kept_s - tiers_[0].chunk_span_s());
      const uint64_t there = table_->summary(name) ? count(name, now_ - 40 * kDay, now_ + 10, kDay) : 0;
      ASSERT_GE(there, least) << name;
      ASSERT_LE(there, most) << name;
    }
  }

  std::mt19937_64 random_{GetParam()};
  std::map<std::string, int64_t> days_ = {{"a", 5}, {"other", 5}};
  std::map<std::string, KeptSamples> kept_;
  int64_t newest_s_ = 0;
};

// Whatever changes, starts and reclaims happen: a sample that each retention so far covered is there, and
// none is returned that is past the retention in use.
TEST_P(RandomRetention, DropsNothingThatEachOneCovered) {
  for (int step = 0; step < 120; ++step) {
    SCOPED_TRACE(step);
    send_some();
    flush();
    now_ += below(6 * kHour);
    if (below(4) == 0) change_one();
    tick();
    if (below(3) == 0) reclaim();
    if (below(8) == 0) restart(retention());
    compare();
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomRetention, testing::Range<uint64_t>(1, 21));

}  // namespace
}  // namespace statmill
