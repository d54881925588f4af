#include "server/query/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "server/query/read/table_pieces.h"
#include "server/query/series_scan.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {
namespace {

Error series_gone() { return {ErrorCode::kBusy, "series kept being deleted or renamed"}; }

class ChangesReader {
 public:
  ChangesReader(const StatTableSources& sources, const ChangesRequest& request, Timestamp now,
                QueryControl& control)
      : table_(sources.table),
        request_(request),
        now_(now),
        control_(control),
        pieces_(table_, sources.store, sources.cache),
        selector_(table_),
        scan_({selector_, pieces_, table_.live_retention(), sources.store.expiry()}, control, now) {}

  Result<ChangesAnswer> read() {
    auto found = selector_.select(request_.matchers, control_);
    if (!found) return found.error();
    out_.selected = found->size();
    if (found->size() > ChangesRequest::kSeriesMax) {
      return Error{ErrorCode::kLimit, std::to_string(found->size()) + " series match, and the limit is " +
                                          std::to_string(ChangesRequest::kSeriesMax) + ": select fewer"};
    }
    const auto was = plan_of(*found, request_.shift_s);
    if (!was) return was.error();
    const auto is = plan_of(*found, 0);
    if (!is) return is.error();
    if (Status s = control_.add_slots((slots_of(*was) + slots_of(*is)) * found->size()); !s) return s.error();
    for (size_t begin = 0; begin < found->size(); begin += kBlockSeries) {
      const auto some = std::span(*found).subspan(begin, std::min(kBlockSeries, found->size() - begin));
      if (Status s = compare(some, *was, *is); !s) return s.error();
    }
    if (table_.names_version() != version_) return series_gone();
    finish(*was, *is);
    return std::move(out_);
  }

 private:
  Result<BinPlan> plan_of(std::span<const SeriesRef> series, int64_t shift_s) const {
    RetentionClasses classes;
    for (const SeriesRef& one : series) {
      const auto summary = table_.summary(one.name);
      if (!summary) return series_gone();
      classes.set(summary->retention);
    }
    QueryRequest range;
    range.from_s = request_.from_s - shift_s;
    range.until_s = request_.until_s - shift_s;
    range.max_points = 1;
    return plan_bins(range, table_.retention().shortest(classes).without_detail(), 1, now_);
  }
  uint64_t slots_of(const BinPlan& plan) const {
    return static_cast<uint64_t>((plan.bins.until_s - plan.bins.from_s) / table_.tiers()[plan.tier].step_s);
  }

  struct Sides {
    Kind kind = Kind::kGauge;
    SlotColumns was;
    SlotColumns is;
  };

  Status compare(std::span<const SeriesRef> series, const BinPlan& was, const BinPlan& is) {
    constexpr Parts kAll = {.extremes = true, .squares = true, .histograms = true};
    std::vector<Sides> sides(series.size());
    Status s = scan_.read(series, was, kAll, [&](size_t i, Kind kind, SeriesBins& bins) {
      sides[i].kind = kind;
      sides[i].was = std::move(bins.points);
      return Status::ok();
    });
    if (!s) return s;
    s = scan_.read(series, is, kAll, [&](size_t i, Kind, SeriesBins& bins) {
      sides[i].is = std::move(bins.points);
      return Status::ok();
    });
    if (!s) return s;
    for (size_t i = 0; i < series.size(); ++i) add(series[i].name, sides[i]);
    return Status::ok();
  }

  void add(const std::string& name, const Sides& sides) {
    const Bucket was = sides.was.bucket_at(0);
    const Bucket is = sides.is.bucket_at(0);
    if (std::min(was.count(), is.count()) < ChangesRequest::kCountMin) return;
    ++out_.compared;
    const bool has_histograms =
        sides.kind == Kind::kDistribution && !sides.was.histograms.empty() && !sides.is.histograms.empty();
    const Change change = has_histograms ? change_of_distributions(sides.was.histograms[0].histogram,
                                                                   sides.is.histograms[0].histogram)
                                         : change_of_means(was, is);
    if (change.score > 0) out_.series.push_back({name, sides.kind, change, was, is});
  }

  void finish(const BinPlan& was, const BinPlan& is) {
    const auto is_before = [](const ChangesAnswer::Series& a, const ChangesAnswer::Series& b) {
      if (a.change.score != b.change.score) return a.change.score > b.change.score;
      const double x = a.change.deviations.value_or(0);
      const double y = b.change.deviations.value_or(0);
      return x != y ? x > y : a.name < b.name;
    };
    std::ranges::sort(out_.series, is_before);
    out_.series.resize(std::min(out_.series.size(), request_.limit));
    out_.from_s = is.bins.from_s;
    out_.until_s = is.bins.until_s;
    out_.was_from_s = was.bins.from_s;
    out_.was_until_s = was.bins.until_s;
    out_.damaged_frames = scan_.damaged_frames();
  }

  const Table& table_;
  const ChangesRequest& request_;
  const Timestamp now_;
  QueryControl& control_;
  TablePieces pieces_;
  const TableSeries selector_;
  SeriesScan scan_;
  const uint64_t version_ = table_.names_version();
  ChangesAnswer out_;
};

}  // namespace

Change change_of_means(const Bucket& was, const Bucket& is) {
  const double difference = std::abs(was.mean() - is.mean());
  if (difference == 0) return {};
  const auto n = static_cast<double>(was.count() + is.count() - 2);
  const double deviation = std::sqrt((was.m2() + is.m2()) / n);
  if (!(deviation > 0)) return {1, std::nullopt};
  const double deviations = difference / deviation;
  if (!std::isfinite(deviations)) return {1, std::nullopt};
  return {std::erf(deviations / std::sqrt(8.0)), deviations};
}

Change change_of_distributions(const SparseHistogram& was, const SparseHistogram& is) {
  const int joined_power = std::max(was.joined_power(), is.joined_power());
  std::map<HistogramIndex, std::pair<double, double>> cells;
  double was_total = 0;
  double is_total = 0;
  for (const HistogramCell& cell : was.cells()) {
    cells[joined_index(cell.index, joined_power)].first += static_cast<double>(cell.count);
    was_total += static_cast<double>(cell.count);
  }
  for (const HistogramCell& cell : is.cells()) {
    cells[joined_index(cell.index, joined_power)].second += static_cast<double>(cell.count);
    is_total += static_cast<double>(cell.count);
  }
  Change out;
  double was_below = 0;
  double is_below = 0;
  for (const auto& [index, counts] : cells) {
    was_below += counts.first;
    is_below += counts.second;
    out.score = std::max(out.score, std::abs(was_below / was_total - is_below / is_total));
  }
  return out;
}

Result<ChangesAnswer> read_changes(const StatTableSources& sources, const ChangesRequest& request,
                                   Timestamp now, QueryControl& control) {
  return ChangesReader(sources, request, now, control).read();
}

}  // namespace statmill
