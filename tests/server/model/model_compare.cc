// Compares the server's answers with the model's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/server/model/model_world.h"

namespace statmill {
namespace {

// The asked seconds that a bin covers, half-open.
std::pair<int64_t, int64_t> range_of(const Bins& bins, size_t bin) {
  const int64_t begin_s = bins.first_s + static_cast<int64_t>(bin) * bins.step_s;
  return {std::max(begin_s, bins.from_s), std::min(begin_s + bins.step_s, bins.until_s)};
}

}  // namespace

void World::compare() {
  compare_names();
  for (const auto& [name, series] : model_.series()) {
    for (const int64_t step : {1, 7, 10, 30, 300, 3600, 86400}) compare_series(name, step);
  }
  if (model_.series().empty()) return;
  for (const int64_t step : {1, 10, 300, 3600}) compare_series("*", step);
  for (const int64_t step : {10, 300, 3600}) compare_histograms(step);
}

void World::compare_families() {
  std::map<std::pair<std::string, Kind>, std::string> families;
  for (const FamilyRow& row : table_->families().page({}, 1000))
    families[{row.key.path, row.key.kind}] = (row.unit.empty() ? "-" : row.unit) + " " + row.help;
  ASSERT_EQ(families, model_.families());
}

void World::compare_names() {
  compare_families();
  std::vector<std::string> names;
  for (const auto& [name, series] : model_.series()) names.push_back(name);
  std::vector<std::string> listed;
  for (const SeriesInfo& info : engine_->list(*Glob::parse("*"), 1000).series) listed.push_back(info.name);
  ASSERT_EQ(listed, names);
  ASSERT_EQ(table_->series_count(), names.size());
  for (const std::string name : {"e0", "g0", "n0", "c0"}) {
    const auto answer = engine_->run({{name}, wall_s_ - 60, wall_s_, 10, {}}, now().wall);
    ASSERT_EQ(answer.has_value(), model_.series().contains(name)) << name;
  }
}

void World::compare_series(const std::string& name, int64_t step) {
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
  if (answer->tier_s == 1) ++detailed_answers_;
  for (const SeriesAnswer& series : answer->series) {
    const bool covered = request.from_s >= wall_s_ - retention_of(series.name, answer->tier_s);
    ASSERT_TRUE(covered || answer->tier_s == tiers_.coarsest().step_s) << series.name;
    compare_answer(*answer, series);
  }
}

void World::compare_histograms(int64_t step) {
  QueryRequest request;
  request.series = {"*"};
  request.step_s = step;
  request.until_s = wall_s_ + 600 - (below(2) == 0 ? 0 : below(longest_s_ / 2));
  request.from_s = request.until_s - step * (1 + below(600));
  request.parts.histograms = true;
  request.merges = true;
  request.percentiles = {*Percentile::parse("p0"), *Percentile::parse("p50"), *Percentile::parse("p99.9")};
  const auto answer = engine_->run(request, now().wall);
  std::vector<std::string> names;
  int64_t kept_from = INT64_MIN;
  for (const auto& [name, series] : model_.series()) {
    if (model_.kind(name) != Kind::kDistribution) continue;
    names.push_back(name);
    if (answer) kept_from = std::max(kept_from, kept_from_s(name, answer->tier_s));
  }
  ASSERT_EQ(answer.has_value(), !names.empty());
  if (!answer) return;
  ASSERT_EQ(answer->merged, names);
  const SeriesAnswer& merged = answer->series.at(0);
  for (size_t i = 0; i < answer->bins.count; ++i) {
    const auto [at, end] = range_of(answer->bins, i);
    if (at < kept_from) continue;
    std::vector<int64_t> values;
    for (const std::string& name : names) {
      const auto more = model_.observations(name, at, end);
      values.insert(values.end(), more.begin(), more.end());
    }
    compare_histogram(merged, i, values);
  }
}

void World::compare_histogram(const SeriesAnswer& got, size_t slot, std::vector<int64_t> values) {
  std::map<model::Range, uint64_t> want;
  for (const int64_t h : values) ++want[model::range_of(static_cast<double>(h) / 100)];
  std::map<model::Range, uint64_t> ranges;
  for (const SlotHistogram& h : got.points.histograms) {
    if (h.slot != static_cast<Slot>(slot)) continue;
    for (const HistogramCell& cell : h.histogram.cells())
      ranges[model::range_of(histogram_midpoint(cell.index))] = cell.count;
  }
  ASSERT_EQ(ranges, want);
  ASSERT_EQ(got.points.bucket_at(slot).count(), values.size());
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const std::array<double, 3> ranks = {1, std::ceil(n / 2), std::ceil(n * 0.999)};
  for (size_t p = 0; p < ranks.size(); ++p) {
    const double value = static_cast<double>(values[static_cast<size_t>(ranks[p]) - 1]) / 100;
    ASSERT_NEAR(got.percentiles[p][slot], value, std::abs(value) / 64);
  }
}

void World::compare_answer(const QueryAnswer& answer, const SeriesAnswer& series) {
  const std::string& name = series.name;
  ASSERT_EQ(series.kind, model_.kind(name));
  const int64_t kept_s = retention_of(name, answer.tier_s);
  const int64_t kept_from = kept_from_s(name, answer.tier_s);
  for (size_t i = 0; i < answer.bins.count; ++i) {
    const auto [at, end] = range_of(answer.bins, i);
    const auto number = [&](Stat s) { return stat_at(s, answer, series, i); };
    const std::string where = name + " at " + std::to_string(at) + " (" + std::to_string(wall_s_ - at) +
                              " s ago) step " + std::to_string(answer.bins.step_s) + " tier " +
                              std::to_string(answer.tier_s);
    // Whole chunks expire; none is longer than 31 days.
    const bool is_expired = end < wall_s_ - kept_s - 31 * kDayS - lag_s_;
    ASSERT_FALSE(is_expired && !may_have_been_slow() && number(Stat::kCount)) << where;
    if (at < kept_from) continue;  // partly expired
    const auto want = model_.answer(name, at, end, wall_s_, std::min<int64_t>(answer.tier_s, 10));
    ASSERT_EQ(want.has_value(), number(Stat::kCount).has_value()) << where;
    if (!want) continue;
    const auto stat = [&](Stat s) { return number(s)->value(); };
    ASSERT_NEAR(stat(Stat::kSum), want->sum, 1e-12 * std::abs(want->sum)) << where;
    if (model_.has_parts(name, at, end)) continue;
    ASSERT_EQ(stat(Stat::kCount), static_cast<double>(want->count)) << where;
    ASSERT_NEAR(stat(Stat::kAvg), want->avg, 1e-12 * std::abs(want->avg) + 1e-15) << where;
    if (series.kind == Kind::kCounter) {
      ASSERT_NEAR(stat(Stat::kRate), want->rate, 1e-12 * std::abs(want->rate) + 1e-15) << where;
    }
    ASSERT_NEAR(stat(Stat::kStddev), want->stddev, 1e-12 * std::abs(want->stddev) + 1e-9) << where;
    // The rate of a slot under way is a quotient of its own.
    const double slack = series.open && series.open->point == i ? 1e-12 : 0;
    ASSERT_NEAR(stat(Stat::kMin), want->min, slack * std::abs(want->min)) << where;
    ASSERT_NEAR(stat(Stat::kMax), want->max, slack * std::abs(want->max)) << where;
  }
}

}  // namespace statmill
