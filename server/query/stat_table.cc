#include "server/query/stat_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "base/text_map.h"
#include "server/query/read/table_pieces.h"
#include "server/query/series_scan.h"
#include "server/query/stat_cells.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {
namespace {

// The series of a selector that have a row.
struct Selected {
  std::vector<SeriesRef> series;
  std::vector<size_t> rows;  // of each
  RetentionClasses retention;
};

// Returns true if some class keeps a tier, other than the detail tier, shorter than another class does.
bool do_classes_differ(const Retention& retention) {
  RetentionClasses all;
  for (size_t i = 0; i < retention.class_count(); ++i) all.set(i);
  return retention.shortest(all).without_detail().text() != retention.longest().without_detail().text();
}

class TableReader {
 public:
  TableReader(const StatTableSources& sources, const StatTableRequest& request, Timestamp now,
              QueryControl& control)
      : table_(sources.table),
        request_(request),
        now_(now),
        control_(control),
        pieces_(table_, sources.store, sources.cache),
        selector_(table_),
        scan_({selector_, pieces_, table_.live_retention(), sources.store.expiry()}, control, now) {}

  Result<StatTable> read() {
    if (Status s = select_all(); !s) return s.error();
    if (Status s = count_slots(); !s) return s.error();
    cells_.resize(rows_.size() * request_.columns.size());
    for (const bool takes_last : {false, true}) {
      for (const auto& [matchers, selected] : selected_) {
        if (Status s = read_columns(matchers, selected, takes_last); !s) return s.error();
      }
    }
    out_.total = rows_.size();
    std::vector<size_t> shown = sorted_rows();
    for (const size_t row : shown) {
      const auto begin = cells_.begin() + static_cast<ptrdiff_t>(row * request_.columns.size());
      out_.rows.push_back(
          {*names_[row], {begin, begin + static_cast<ptrdiff_t>(request_.columns.size())}, {}});
    }
    if (request_.spark) {
      if (Status s = read_sparks(shown); !s) return s.error();
    }
    if (table_.names_version() != version_) return names_changed();
    out_.damaged_frames = scan_.damaged_frames();
    return std::move(out_);
  }

 private:
  using Matchers = std::vector<LabelMatcher>;

  static Error names_changed() { return {ErrorCode::kBusy, "series kept being deleted or renamed"}; }

  Status select_all() {
    for (const StatColumn& column : request_.columns) {
      const auto [at, is_new] = selected_.try_emplace(column.matchers);
      if (!is_new) continue;
      if (Status s = select(column.matchers, at->second); !s) return s;
    }
    return Status::ok();
  }

  Status select(const Matchers& matchers, Selected& out) {
    auto found = selector_.select(matchers, control_);
    if (!found) return found.error();
    for (SeriesRef& series : *found) {
      auto name = request_.row.row_of(series.name);
      if (!name) continue;
      const auto [row, is_new] = rows_.try_emplace(*std::move(name), rows_.size());
      if (is_new) {
        names_.push_back(&row->first);
        if (rows_.size() > StatTableRequest::kRowsMax)
          return control_.refuse(QueryLimit::kSeries, rows_.size());
        const size_t bytes = sizeof(StatTable::Row) + request_.columns.size() * sizeof(StatTable::Cell);
        if (Status s = control_.take_memory(bytes); !s) return s;
      }
      if (do_classes_differ_) {
        const auto summary = table_.summary(series.name);
        if (!summary) return names_changed();
        out.retention.set(summary->retention);
      }
      out.rows.push_back(row->second);
      out.series.push_back(std::move(series));
    }
    return Status::ok();
  }

  Result<BinPlan> plan_of(const Selected& selected, int64_t points) const {
    QueryRequest range;
    range.from_s = request_.from_s;
    range.until_s = request_.until_s;
    range.max_points = points;
    return plan_bins(range, table_.retention().shortest(selected.retention).without_detail(), points, now_);
  }
  uint64_t slots_of(const BinPlan& plan) const {
    return static_cast<uint64_t>((plan.bins.until_s - plan.bins.from_s) / table_.tiers()[plan.tier].step_s);
  }

  // Counts the slots of all columns before any is read, so that a heavy query does not begin in vain.
  Status count_slots() {
    uint64_t slots = 0;
    for (const auto& entry : selected_) {
      const auto& selected = entry.second;
      for (const bool takes_last : {false, true}) {
        const auto reads = [&](const StatColumn& column) {
          return is_last(column) == takes_last && column.matchers == entry.first;
        };
        if (std::ranges::none_of(request_.columns, reads)) continue;
        const auto plan = plan_of(selected, points_of(takes_last));
        if (!plan) return plan.error();
        slots += slots_of(*plan) * selected.series.size();
      }
    }
    return control_.add_slots(slots);
  }

  static bool is_last(const StatColumn& column) { return column.value == StatColumn::Value::kLast; }
  static int64_t points_of(bool takes_last) { return takes_last ? QueryLimits::kDefaultPoints : 1; }

  // Reads the columns of one selector, those with kLast apart, since they need single slots.
  Status read_columns(const Matchers& matchers, const Selected& selected, bool takes_last) {
    std::vector<size_t> indices;
    std::vector<const StatColumn*> columns;
    for (size_t c = 0; c < request_.columns.size(); ++c) {
      const StatColumn& column = request_.columns[c];
      if (is_last(column) != takes_last || column.matchers != matchers) continue;
      indices.push_back(c);
      columns.push_back(&column);
    }
    if (columns.empty()) return Status::ok();
    auto cells = read_cells(std::move(columns), selected, points_of(takes_last), takes_last, {});
    if (!cells) return cells.error();
    for (size_t row = 0; row < rows_.size(); ++row) {
      for (size_t i = 0; i < indices.size(); ++i) {
        cells_[row * request_.columns.size() + indices[i]] =
            takes_last ? cells->last_cell(row, i) : cells->cell(row, i, 0);
      }
    }
    return Status::ok();
  }

  // Reads the points of one column, for the rows that are shown.
  Status read_sparks(std::span<const size_t> shown) {
    const StatColumn& column = request_.columns[request_.spark->column];
    std::vector<bool> is_shown(rows_.size());
    for (const size_t row : shown) is_shown[row] = true;
    auto cells =
        read_cells({&column}, selected_.at(column.matchers), request_.spark->points, false, is_shown);
    if (!cells) return cells.error();
    // The rate of a slot that has just begun is not known yet.
    const int64_t finest_s = table_.tiers().finest().step_s;
    const int64_t open_s = unix_seconds(now_) / finest_s * finest_s;
    const Bins& bins = cells->frame().bins;
    for (size_t i = 0; i < shown.size(); ++i) {
      for (size_t point = 0; point < bins.count; ++point) {
        const bool is_known = column.stat != Stat::kRate || bins.begin_s(point) < open_s;
        out_.rows[i].spark.push_back(is_known ? cells->cell(shown[i], 0, point) : std::nullopt);
      }
    }
    return Status::ok();
  }

  // `wanted`: of which rows; empty: of all.
  Result<StatCells> read_cells(std::vector<const StatColumn*> columns, const Selected& selected,
                               int64_t points, bool takes_last, const std::vector<bool>& wanted) {
    const auto plan = plan_of(selected, points);
    if (!plan) return plan.error();
    note_range(*plan);
    const Tiers& tiers = table_.tiers();
    QueryAnswer frame{plan->bins, tiers[plan->tier].step_s, tiers.finest().step_s, {}};
    frame.until_ms = rates_until_ms(now_, tiers.finest().step_s * 1000);
    StatCells cells(std::move(columns), rows_.size(), std::move(frame), control_, takes_last);
    const auto read = [&](const std::vector<SeriesRef>& series, const std::vector<size_t>& rows) {
      const auto use = [&](size_t i, Kind kind, SeriesBins& bins) {
        return cells.add(rows[i], {{}, kind, std::move(bins.points), bins.open});
      };
      return scan_.read(series, *plan, cells.parts(), use);
    };
    if (wanted.empty()) {
      if (Status s = read(selected.series, selected.rows); !s) return s.error();
      return cells;
    }
    std::vector<SeriesRef> series;
    std::vector<size_t> rows;
    for (size_t i = 0; i < selected.series.size(); ++i) {
      if (!wanted[selected.rows[i]]) continue;
      series.push_back(selected.series[i]);
      rows.push_back(selected.rows[i]);
    }
    // The slots of the others are counted before any is read.
    if (Status s = control_.add_slots(slots_of(*plan) * series.size()); !s) return s.error();
    if (Status s = read(series, rows); !s) return s.error();
    return cells;
  }

  void note_range(const BinPlan& plan) {
    out_.from_s = out_.tier_s == 0 ? plan.bins.from_s : std::min(out_.from_s, plan.bins.from_s);
    out_.until_s = std::max(out_.until_s, plan.bins.until_s);
    out_.tier_s = std::max(out_.tier_s, table_.tiers()[plan.tier].step_s);
  }

  std::vector<size_t> sorted_rows() const {
    std::vector<size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto by_name = [this](size_t a, size_t b) { return *names_[a] < *names_[b]; };
    const auto is_before = [&](size_t a, size_t b) {
      if (!request_.sort_column) return request_.is_descending ? by_name(b, a) : by_name(a, b);
      const auto key = [&](size_t row) {
        return cells_[row * request_.columns.size() + *request_.sort_column];
      };
      const StatTable::Cell of_a = key(a);
      const StatTable::Cell of_b = key(b);
      if (!of_a || !of_b) return of_a.has_value() != of_b.has_value() ? of_a.has_value() : by_name(a, b);
      const double x = of_a->value();
      const double y = of_b->value();
      if (x != y) return request_.is_descending ? x > y : x < y;
      return by_name(a, b);
    };
    const size_t limit = std::min(request_.limit, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(limit), order.end(), is_before);
    order.resize(limit);
    return order;
  }

  const Table& table_;
  const StatTableRequest& request_;
  const Timestamp now_;
  QueryControl& control_;
  TablePieces pieces_;
  const TableSeries selector_;
  SeriesScan scan_;
  // If they do not, no series is asked for its class, which is one more lookup of its name.
  const bool do_classes_differ_ = do_classes_differ(table_.retention());
  const uint64_t version_ = table_.names_version();
  std::map<Matchers, Selected> selected_;
  TextMap<size_t> rows_;                   // their indices
  std::vector<const std::string*> names_;  // of the rows
  std::vector<StatTable::Cell> cells_;     // by row, then column
  StatTable out_;
};

}  // namespace

Result<StatTable> read_stat_table(const StatTableSources& sources, const StatTableRequest& request,
                                  Timestamp now, QueryControl& control) {
  return TableReader(sources, request, now, control).read();
}

}  // namespace statmill
