#include "server/query/stat_cells.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

using Cell = StatTable::Cell;
using Value = StatColumn::Value;
using Merge = StatColumn::Merge;

bool is_rate(const StatColumn& column, Kind kind) {
  return column.value == Value::kLast ? adds_up(kind)
                                      : column.value == Value::kStat && column.stat == Stat::kRate;
}

Cell percentile_at(const SeriesAnswer& series, size_t point, double quantile) {
  const std::vector<SlotHistogram>& histograms = series.points.histograms;
  const auto slot = series.points.begin + static_cast<Slot>(point);
  const auto at = std::ranges::lower_bound(histograms, slot, {}, &SlotHistogram::slot);
  if (at == histograms.end() || at->slot != slot) return std::nullopt;
  const Bucket bucket = series.points.bucket_at(point);
  if (bucket.is_empty()) return std::nullopt;
  return AnswerNumber::real(at->histogram.percentile(quantile, bucket.min(), bucket.max()));
}

size_t bytes_of(const SlotColumns& points) {
  size_t bytes = 0;
  for (const SlotHistogram& h : points.histograms) bytes += sizeof(h) + h.histogram.memory_bytes();
  return bytes;
}

void merge_open(std::optional<OpenSlot>& open, const std::optional<OpenSlot>& other) {
  if (!other) return;
  if (!open) {
    open = other;
    return;
  }
  open->rate.merge(other->rate);
  open->rate_so_far.merge(other->rate_so_far);
  open->missing_ms += other->missing_ms;
}

}  // namespace

Parts StatCells::parts() const {
  Parts parts;
  for (const StatColumn* const column : columns_) {
    if (column->value == Value::kPercentile) parts.extremes = parts.histograms = true;
    if (column->value != Value::kStat) continue;
    parts.extremes |= parts_of(column->stat).extremes;
    parts.squares |= parts_of(column->stat).squares;
  }
  return parts;
}

Cell StatCells::value_of(const StatColumn& column, const SeriesAnswer& series, size_t point) const {
  if (column.value == Value::kPercentile) return percentile_at(series, point, column.quantile);
  if (column.value == Value::kStat) return stat_at(column.stat, frame_, series, point);
  return stat_at(adds_up(series.kind) ? Stat::kRate : Stat::kAvg, frame_, series, point);
}

// Returns whether the cells of a column are made of the values of single series.
bool StatCells::takes_values(const StatColumn& column, Kind kind) const {
  return column.merge != Merge::kMerge || is_rate(column, kind);
}

Status StatCells::add(size_t row_index, SeriesAnswer series) {
  Row& row = rows_[row_index];
  const size_t points = series.points.size();
  const auto put = [](Values& values, Cell value) {
    if (!value || !value->is_finite()) return;
    if (values.count++ == 0) values.only = value;
    values.sum += value->value();
    if (!values.greatest || value->value() > values.greatest->value()) values.greatest = value;
  };
  for (size_t c = 0; c < columns_.size(); ++c) {
    const StatColumn& column = *columns_[c];
    if (!takes_values(column, series.kind)) continue;
    if (row.values.empty()) {
      const size_t size = points * columns_.size();
      if (Status s = control_.take_memory(size * sizeof(Values)); !s) return s;
      row.values.resize(size);
    }
    // Each series has a newest point of its own, unless they are merged.
    if (takes_last_ && column.value == Value::kLast && column.merge != Merge::kMerge) {
      Cell last;
      for (size_t point = points; point-- > 0 && !last;) last = value_of(column, series, point);
      put(row.values[c], last);
      continue;
    }
    for (size_t point = 0; point < points; ++point)
      put(row.values[point * columns_.size() + c], value_of(column, series, point));
  }
  return merge(row, std::move(series));
}

Status StatCells::merge(Row& row, SeriesAnswer series) {
  constexpr size_t kPointBytes = 5 * sizeof(int64_t);
  if (!row.merged) {
    const size_t bytes = sizeof(Row) + series.points.size() * kPointBytes;
    if (Status s = control_.take_memory(bytes); !s) return s;
    histogram_bytes_ += bytes_of(series.points);
    series.name.clear();
    row.merged = std::move(series);
  } else if (row.merged->kind != series.kind) {
    row.has_several_kinds = true;
  } else {
    histogram_bytes_ -= bytes_of(row.merged->points);
    row.merged->points.add(series.points, Combine::kMerge);
    histogram_bytes_ += bytes_of(row.merged->points);
    merge_open(row.merged->open, series.open);
  }
  if (histogram_bytes_ <= control_.limits().histogram_bytes_max) return Status::ok();
  return control_.refuse(QueryLimit::kHistogramBytes, histogram_bytes_);
}

Cell StatCells::cell(size_t row_index, size_t column_index, size_t point) const {
  if (!rows_[row_index].merged) return std::nullopt;
  const Row& row = rows_[row_index];
  const StatColumn& column = *columns_[column_index];
  if (!takes_values(column, row.merged->kind)) {
    if (row.has_several_kinds) return std::nullopt;
    return value_of(column, *row.merged, point);
  }
  const Values& values = row.values[point * columns_.size() + column_index];
  if (values.count <= 1) return values.only;
  switch (column.merge) {
    case Merge::kMerge:
    case Merge::kSum:
      return AnswerNumber::real(values.sum);
    case Merge::kMax:
      return values.greatest;
    case Merge::kAvg:
      return AnswerNumber::real(values.sum / static_cast<double>(values.count));
  }
  return std::nullopt;
}

Cell StatCells::last_cell(size_t row, size_t column) const {
  if (columns_[column]->merge != Merge::kMerge) return cell(row, column, 0);
  for (size_t point = frame_.bins.count; point-- > 0;) {
    if (const Cell found = cell(row, column, point)) return found;
  }
  return std::nullopt;
}

}  // namespace statmill
