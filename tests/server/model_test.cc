// The whole road against a naive model: random samples (late, early, repeated, of all kinds), ticks,
// flushes, series deleted, emptied and renamed, crashes, failing writes, expiry, days passing; then every
// tier and every stat is compared, of each series alone and of all together, and every bucket of the
// histograms.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "base/text.h"
#include "proto/istatd_lines.h"
#include "server/query/engine.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/server/model.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kStartS = 1'700'000'000;
constexpr int64_t kDayS = 86400;

// "TIERS|RULE|RULE"
Retention retention_of_text(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '|');
  Retention out(*Tiers::parse(parts[0]));
  for (size_t i = 1; i < parts.size(); ++i) EXPECT_TRUE(out.add_rule(parts[i])) << parts[i];
  return out;
}

// A server without sockets and threads over a store in memory, beside the model.
class World {
 public:
  World(uint64_t seed, const std::string& retention)
      : random_(seed),
        retention_(retention_of_text(retention)),
        tiers_(retention_.tiers()),
        longest_s_(retention_.longest().coarsest().retention_s),
        store_(tiers_) {
    start();
  }

  void step() {
    switch (below(14)) {
      case 0:
        advance(below(20 * 60));
        break;
      case 1:
        jump_days();
        break;
      case 2:
        crash();
        break;
      case 3:
        ASSERT_TRUE(ticker_->flush_all(now()));
        committed_ = log_.size();
        break;
      case 4:
        fail_a_write();
        break;
      case 5:
        if (model_.series().empty()) return;
        ASSERT_TRUE(change());
        committed_ = log_.size();
        break;
      default:
        for (int64_t i = below(30); i >= 0; --i) send();
        if (below(3) != 0) tick();
        advance(below(8));
    }
  }

  void compare() {
    compare_names();
    for (const auto& [name, series] : model_.series()) {
      for (const int64_t step : {10, 30, 300, 3600, 86400}) compare_series(name, step);
    }
    if (model_.series().empty()) return;
    for (const int64_t step : {10, 300, 3600}) compare_series("*", step);
    for (const int64_t step : {10, 300, 3600}) compare_histograms(step);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  TickTime now() const { return {from_unix_seconds(wall_s_), SteadyTime(std::chrono::seconds(wall_s_))}; }
  // Of the class that is kept shortest.
  int64_t finest_s() const { return retention_.shortest(RetentionClasses().set()).finest().retention_s; }
  const Tiers& tiers_of(const std::string& name) const { return retention_.tiers(retention_.class_of(name)); }

  void start() {
    table_ = std::make_unique<Table>(retention_, TableLimits{});
    const auto recovery = recover(store_, *table_);
    ASSERT_TRUE(recovery);
    TickOptions options;
    options.rollup.slice_series = 3;
    ticker_ = std::make_unique<Ticker>(Ticker::Services{*table_, store_, registry_, health_, log_lines_},
                                       options, recovery->start, now().steady);
    engine_ = std::make_unique<QueryEngine>(*table_, store_, QueryLimits{});
  }

  void tick() {
    ASSERT_TRUE(ticker_->tick(now()));
    committed_ = log_.size();
    std::atomic<bool> cancelled{false};
    if (below(4) == 0) {
      ASSERT_TRUE(store_.reclaim(cancelled));
    }
  }

  void advance(int64_t seconds) {
    while (seconds > 0) {  // ticks go on meanwhile
      const int64_t part = std::min<int64_t>(seconds, 120);
      wall_s_ += part;
      seconds -= part;
      tick();
    }
  }

  // Events wait in RAM at most ten minutes in real life; a jump over days comes after a flush.
  void jump_days() {
    ASSERT_TRUE(ticker_->flush_all(now()));
    committed_ = log_.size();
    wall_s_ += below(3 * kDayS / 2);
    for (int64_t i = below(60); i >= 0; --i) tick();
  }

  // The process dies: what no tick has committed is gone, the rest is there.
  void crash() {
    log_.resize(committed_);
    model_ = {};
    for (const auto& happen : log_) happen(model_);
    store_.restart();
    start();
  }

  void fail_a_write() {
    for (const size_t before = log_.size(); log_.size() == before;)
      send();  // a tick that has something to write
    const bool whole = below(2) == 0;
    store_.fail_next_write(Error{ErrorCode::kIo, "planted"},
                           whole ? MemoryStore::Effect::kWhole : MemoryStore::Effect::kNone);
    const int64_t what = below(3);
    if (what == 0) {
      ASSERT_FALSE(ticker_->flush_all(now()));
    } else if (what == 1) {
      ASSERT_FALSE(ticker_->tick(now()));
    } else {
      ASSERT_FALSE(change());
    }
    const size_t under_way = log_.size();
    EXPECT_FALSE(health_.problems().empty());
    for (int64_t i = below(5); i >= 0; --i) send();
    compare_names();
    if (!model_.series().empty()) compare_series(any_name(), 10);
    compare_histograms(below(2) == 0 ? 10 : 3600);
    if (below(4) == 0) {  // it dies before it can try again: the store has the tick or has it not
      if (whole) committed_ = under_way;
      crash();
      return;
    }
    tick();
    EXPECT_TRUE(health_.problems().empty());
  }

  // A line has but one form for each of these; what a batch may hold is wider.
  static void fill(const model::Sample& s, Batch& batch) {
    const bool is_alone = s.hundredths.size() == 1;
    if (s.kind != Kind::kDistribution) return parse_istatd_lines(batch.keep(model::line_of(s)), batch);
    parse_istatd_lines(batch.keep(model::line_of({s.name, Kind::kGauge, s.time_s, s.hundredths})), batch);
    batch.samples.back().kind = Kind::kDistribution;
    if (is_alone) return;
    SparseHistogram histogram;
    for (const int64_t h : s.hundredths) histogram.add(histogram_index(static_cast<double>(h) / 100));
    auto& ready = const_cast<ReadyBucket&>(*batch.samples.back().ready);
    ready.cells = batch.keep({histogram.cells().begin(), histogram.cells().end()});
  }

  int64_t age(bool event) {
    switch (below(10)) {
      case 0:
        return -below(9 * 60);
      case 1:
        return below(20 * 60);
      case 2:
        return below(finest_s() * 3 / 4);
      case 3:
        return event ? below(60) : below(longest_s_);
      case 4:
        return below(4) == 0 ? (below(2) == 0 ? -601 - below(1000) : longest_s_ + 1 + below(1000)) : 0;
      default:
        return below(6);
    }
  }

  void send() {
    model::Sample s;
    s.kind = static_cast<Kind>(below(3));
    s.name = "ged"[static_cast<size_t>(s.kind)] + std::to_string(below(4));
    if (!model_.series().empty() && below(4) == 0) s.name = any_name();
    const auto known = model_.series().find(s.name);
    if (known != model_.series().end()) s.kind = model_.kind(s.name);
    const Kind kind = s.kind;
    const bool event = kind == Kind::kEvent;
    s.time_s = wall_s_ - age(event);
    if (known != model_.series().end()) {
      // Now and then a known series is written as another kind: it stays what it is.
      if (below(20) == 0) s.kind = static_cast<Kind>(below(3));
      const auto& samples = known->second.samples;
      if (!samples.empty() && below(4) == 0) {  // again into a slot that has something
        const int64_t earlier_s = samples[static_cast<size_t>(below(std::ssize(samples)))].time_s;
        if (!event || wall_s_ - earlier_s < finest_s() * 3 / 4) s.time_s = earlier_s;
      }
    }
    const bool is_alone = s.kind == Kind::kEvent || (kind == Kind::kDistribution && s.kind != kind);
    const int64_t samples = is_alone || below(4) != 0 ? 1 : 1 + below(20);
    for (int64_t i = 0; i < samples; ++i)
      s.hundredths.push_back(below(3) == 0 ? 500 : below(2'000'000) - 1'000'000);
    Batch batch;
    fill(s, batch);
    const uint64_t accepted = table_->apply(batch, now().wall);
    uint64_t refused = 0;
    for (const uint64_t n : batch.refused) refused += n;
    ASSERT_EQ(batch.received, accepted + refused);
    const int64_t slot_end_s = (s.time_s / 10 + 1) * 10;
    const bool fits = s.time_s <= wall_s_ + 600 && s.time_s >= wall_s_ - longest_s_ &&
                      slot_end_s > wall_s_ - tiers_of(s.name).coarsest().retention_s;
    ASSERT_EQ(accepted, fits ? 1U : 0U) << s.name << " at " << s.time_s;
    if (!fits) return;
    happened([s](model::Model& model) { model.add(s); });
  }

  void happened(std::function<void(model::Model&)> what) {
    what(model_);
    log_.push_back(std::move(what));
  }

  // Requires: there is a series.
  std::string any_name() {
    const auto& series = model_.series();
    return std::next(series.begin(), below(std::ssize(series)))->first;
  }

  // Some series are deleted, lose a range or are renamed. In RAM that has happened even when it fails.
  // Requires: there is a series.
  Status change() {
    std::set<std::string> names;
    for (int64_t i = below(3); i >= 0; --i) names.insert(any_name());
    std::vector<std::string_view> deletes(names.begin(), names.end());
    deletes.push_back("no.such.name");
    switch (below(3)) {
      case 0:
        for (const std::string& name : names) happened([name](model::Model& m) { m.remove(name); });
        return done(ticker_->change({.deletes = deletes, .slots = {}, .renames = {}}, now()));
      case 1: {
        const int64_t unit_s = tiers_.coarsest().step_s;
        const int64_t from_s = below(4) == 0 ? 0 : (wall_s_ - below(longest_s_)) / unit_s * unit_s;
        const int64_t until_s =
            below(4) == 0 ? INT64_MAX / unit_s * unit_s : from_s + unit_s * (1 + below(30));
        for (const std::string& name : names)
          happened([=](model::Model& m) { m.erase(name, from_s, until_s); });
        const SlotRange slots{from_s / model::Model::kSlotS, until_s / model::Model::kSlotS};
        return done(ticker_->change({.deletes = deletes, .slots = slots, .renames = {}}, now()));
      }
      default: {
        const std::string from = *names.begin();
        const std::string to =
            std::array{"e", "g", "n", "d"}[static_cast<size_t>(below(4))] + std::to_string(below(5));
        if (!model_.series().contains(to) && keeps_no_longer(to, from))
          happened([=](model::Model& m) { m.rename(from, to); });
        const NewName pair{from, model_.series().contains(to) ? to : from};
        return done(ticker_->change({.deletes = {}, .slots = {}, .renames = {&pair, 1}}, now()));
      }
    }
  }
  static Status done(const Result<ChangedSeries>& changed) {
    return changed ? Status::ok() : Status(changed.error());
  }
  // What is past the retention of its series may be gone, or not yet.
  bool keeps_no_longer(const std::string& a, const std::string& b) const {
    for (size_t t = 0; t < tiers_.count(); ++t) {
      if (tiers_of(a)[t].retention_s > tiers_of(b)[t].retention_s) return false;
    }
    return true;
  }

  // Exactly the model's names are there.
  void compare_names() {
    std::vector<std::string> names;
    for (const auto& [name, series] : model_.series()) names.push_back(name);
    std::vector<std::string> listed;
    for (const SeriesInfo& info : engine_->list(*Glob::parse("*"), 1000).series) listed.push_back(info.name);
    ASSERT_EQ(listed, names);
    ASSERT_EQ(table_->series_count(), names.size());
    for (const std::string name : {"e0", "g0", "n0"}) {
      const auto answer = engine_->run({{name}, wall_s_ - 60, wall_s_, 10, {}}, now().wall);
      ASSERT_EQ(answer.has_value(), model_.series().contains(name)) << name;
    }
  }

  int64_t retention_of(const std::string& name, int64_t tier_s) const {
    for (const Tier& tier : tiers_of(name)) {
      if (tier.step_s == tier_s) return tier.retention_s;
    }
    ADD_FAILURE() << "no tier of " << tier_s;
    return 0;
  }

  // One series, or all of them by the pattern "*".
  void compare_series(const std::string& name, int64_t step) {
    QueryRequest request;
    request.series = {name};
    request.step_s = step;
    const int64_t kept_s = name == "*" ? longest_s_ : tiers_of(name).coarsest().retention_s;
    const int64_t back_s =
        std::array<int64_t, 4>{0, 0, below(kept_s), below(10 * kDayS)}[static_cast<size_t>(below(4))];
    request.until_s = wall_s_ + below(700) - std::min(back_s, kept_s - 1);
    request.from_s = std::max<int64_t>(request.until_s - step * (1 + below(400)), wall_s_ - kept_s);
    const auto answer = engine_->run(request, now().wall);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->series.size(), name == "*" ? model_.series().size() : 1U);
    for (const SeriesAnswer& series : answer->series) {
      const bool covered = request.from_s >= wall_s_ - retention_of(series.name, answer->tier_s);
      ASSERT_TRUE(covered || answer->tier_s == tiers_.coarsest().step_s) << series.name;
      compare_answer(*answer, series);
    }
  }

  // All distributions together, which is every bucket of every histogram.
  void compare_histograms(int64_t step) {
    QueryRequest request;
    request.series = {"*"};
    request.step_s = step;
    request.until_s = wall_s_ + 600 - (below(2) == 0 ? 0 : below(longest_s_ / 2));
    request.from_s = request.until_s - step * (1 + below(600));
    request.wanted = Wanted::kHistograms;
    request.merges = true;
    request.percentiles = {*Percentile::parse("p0"), *Percentile::parse("p50"), *Percentile::parse("p99.9")};
    const auto answer = engine_->run(request, now().wall);
    std::vector<std::string> names;
    int64_t kept_s = INT64_MAX;
    for (const auto& [name, series] : model_.series()) {
      if (model_.kind(name) != Kind::kDistribution) continue;
      names.push_back(name);
      if (answer) kept_s = std::min(kept_s, retention_of(name, answer->tier_s));
    }
    ASSERT_EQ(answer.has_value(), !names.empty());
    if (!answer) return;
    ASSERT_EQ(answer->merged, names);
    const SeriesAnswer& merged = answer->series.at(0);
    for (size_t i = 0; i < merged.slots.size(); ++i) {
      const int64_t at = answer->from_s + static_cast<int64_t>(i) * answer->step_s;
      if (at < wall_s_ - kept_s) continue;
      std::vector<int64_t> values;
      for (const std::string& name : names) {
        const auto more = model_.observations(name, at, at + answer->step_s);
        values.insert(values.end(), more.begin(), more.end());
      }
      compare_histogram(merged, i, values);
    }
  }

  static void compare_histogram(const SeriesAnswer& got, size_t slot, std::vector<int64_t> values) {
    std::map<model::Range, uint64_t> want;
    for (const int64_t h : values) ++want[model::range_of(static_cast<double>(h) / 100)];
    std::map<model::Range, uint64_t> ranges;
    for (const HistogramCell& cell : got.histograms[slot].cells())
      ranges[model::range_of(histogram_midpoint(cell.index))] = cell.count;
    ASSERT_EQ(ranges, want);
    ASSERT_EQ(got.slots[slot].count(), values.size());
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    const auto n = static_cast<double>(values.size());
    const auto near = [&](size_t percentile, double rank) {
      const double value = static_cast<double>(values[static_cast<size_t>(std::max(rank, 1.0)) - 1]) / 100;
      ASSERT_NEAR(got.percentiles[percentile][slot], value, std::abs(value) / 64);
    };
    near(0, 1);
    near(1, std::ceil(n / 2));
    near(2, std::ceil(n * 0.999));
  }

  void compare_answer(const QueryAnswer& answer, const SeriesAnswer& series) {
    const std::string& name = series.name;
    ASSERT_EQ(series.kind, model_.kind(name));
    const int64_t kept_s = retention_of(name, answer.tier_s);
    for (size_t i = 0; i < series.slots.size(); ++i) {
      const int64_t at = answer.from_s + static_cast<int64_t>(i) * answer.step_s;
      const Bucket& got = series.slots[i];
      const std::string where = name + " at " + std::to_string(at) + " (" + std::to_string(wall_s_ - at) +
                                " s ago) step " + std::to_string(answer.step_s) + " tier " +
                                std::to_string(answer.tier_s);
      // Chunks go whole, none is longer than 31 days.
      const bool is_expired = at + answer.step_s < wall_s_ - kept_s - 31 * kDayS;
      ASSERT_FALSE(is_expired && !got.is_empty()) << where;
      if (at < wall_s_ - kept_s) continue;  // partly expired
      const auto want = model_.answer(name, at, answer.step_s, wall_s_);
      ASSERT_EQ(want.has_value(), !got.is_empty()) << where;
      if (!want) continue;
      const auto stat = [&](Stat s) {
        return *stat_of(s, got, series.kind, answer.step_s, answer.event_slot_s);
      };
      ASSERT_EQ(stat(Stat::kCount), static_cast<double>(want->count)) << where;
      ASSERT_NEAR(stat(Stat::kSum), want->sum, 1e-12 * std::abs(want->sum)) << where;
      ASSERT_NEAR(stat(Stat::kAvg), want->avg, 1e-12 * std::abs(want->avg) + 1e-15) << where;
      ASSERT_NEAR(stat(Stat::kStddev), want->stddev, 1e-12 * std::abs(want->stddev) + 1e-9) << where;
      ASSERT_EQ(stat(Stat::kMin), want->min) << where;
      ASSERT_EQ(stat(Stat::kMax), want->max) << where;
    }
  }

  std::mt19937_64 random_;
  const Retention retention_;
  const Tiers tiers_;
  const int64_t longest_s_;
  MemoryStore store_;
  Registry registry_;
  Health health_;
  Log log_lines_{LogLevel::kError};
  int64_t wall_s_ = kStartS;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<QueryEngine> engine_;
  std::vector<std::function<void(model::Model&)>> log_;  // what has happened
  size_t committed_ = 0;
  model::Model model_;
};

class ModelTest : public testing::TestWithParam<const char*> {};

TEST_P(ModelTest, EveryTierAndStatAgrees) {
  const char* wanted = std::getenv("SM_SEED");  // one failing seed again: SM_SEED=17
  const uint64_t first = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
  const uint64_t last = wanted != nullptr ? first : 6;
  for (uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("SM_SEED=" + std::to_string(seed));
    World world(seed, GetParam());
    for (int i = 0; i < 150 && !HasFatalFailure(); ++i) {
      world.step();
      if (i % 25 == 24) world.compare();
    }
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Retentions, ModelTest,
    testing::Values("10s:2d,5m:30d,1h:1y", "10s:10d,5m:1y,1h:6y", "10s:1d,1m:10d", "10s:30d",
                    "10s:4d,5m:30d,1h:1y|?1 10s:1d,5m:3d,1h:60d|g[12] 10s:9d,1h:2y|e2 10s:8d",
                    "10s:3d|?1 10s:1d|?2 10s:30d"));

}  // namespace
}  // namespace statmill
