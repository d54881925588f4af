// Percentiles and means of all samples of several series.
#include <algorithm>
#include <utility>

#include "server/graphite/functions/common.h"
#include "server/query/columns_memory.h"
#include "server/query/ops/window.h"
#include "server/query/query.h"

namespace statmill::graphite {
namespace {

// Where the rows are that buckets are merged to.
struct Rows {
  int64_t start_s = 0;
  int64_t step_s = 1;
  size_t count = 0;
  bool is_one_value = false;  // each series has one value of the whole range, and all are one row
};

// The first row of a series: one that begins before the first value is left out, unless there is no other.
int64_t first_row_s(const Series& series, int64_t step_s) {
  const int64_t end_s = series.start_s + static_cast<int64_t>(series.values.size()) * series.step_s;
  const int64_t whole_s = (series.start_s + step_s - 1) / step_s * step_s;
  return whole_s < end_s ? whole_s : series.start_s / step_s * step_s;
}

// How many rows a series has.
size_t rows_of_series(const Series& series, int64_t step_s) {
  const int64_t end_s = series.start_s + static_cast<int64_t>(series.values.size()) * series.step_s;
  return static_cast<size_t>((end_s - first_row_s(series, step_s) + step_s - 1) / step_s);
}

// Counts the rows in which a series has a value, which it has where it has a bucket.
void count_rows(const Series& series, const Rows& rows, std::vector<uint32_t>& counts) {
  const int64_t first_s = rows.is_one_value ? rows.start_s : first_row_s(series, rows.step_s);
  int64_t last = -1;
  for (size_t i = 0; i < series.values.size(); ++i) {
    const int64_t time_s = series.start_s + static_cast<int64_t>(i) * series.step_s;
    const int64_t row = (time_s - rows.start_s) / rows.step_s;
    if (is_none(series.values[i]) || time_s < first_s || row == last) continue;
    ++counts[static_cast<size_t>(row)];
    last = row;
  }
}

// The buckets of one series as those of the rows.
SlotColumns in_rows(const Series& series, const Rows& rows) {
  const int64_t first_s = first_row_s(series, rows.step_s);
  const auto size = static_cast<int64_t>(series.values.size());
  const auto element_at = [&](int64_t time_s) {
    const int64_t at = (time_s - series.start_s + series.step_s - 1) / series.step_s;
    return static_cast<uint32_t>(std::clamp<int64_t>(at, 0, size));
  };
  std::vector<SlotWindow> windows(rows_of_series(series, rows.step_s));
  for (size_t i = 0; i < windows.size(); ++i) {
    const int64_t begin_s = first_s + static_cast<int64_t>(i) * rows.step_s;
    windows[i] = {element_at(begin_s), element_at(begin_s + rows.step_s)};
  }
  SlotColumns out = merge_windows(*series.buckets, windows);
  out.begin = (first_s - rows.start_s) / rows.step_s;
  for (SlotHistogram& one : out.histograms) one.slot += out.begin;
  return out;
}

Result<Rows> common_rows(Call& call, const SeriesList& series) {
  std::vector<const Series*> pointers;
  for (const Series& one : series) pointers.push_back(&one);
  Rows rows;
  if (std::ranges::all_of(series, [](const Series& one) { return one.values.size() == 1; })) {
    rows.start_s = std::ranges::min_element(series, {}, &Series::start_s)->start_s;
    rows.step_s =
        std::max<int64_t>(std::ranges::max_element(series, {}, &Series::end_s)->end_s - rows.start_s, 1);
    rows.count = 1;
    rows.is_one_value = true;
    return rows;
  }
  const auto step = common_step(call, pointers);
  if (!step) return step.error();
  rows.step_s = *step;
  rows.start_s = first_row_s(series.front(), *step);
  int64_t end_s = rows.start_s;
  for (const Series& one : series) {
    const int64_t first_s = first_row_s(one, *step);
    rows.start_s = std::min(rows.start_s, first_s);
    end_s = std::max(end_s, first_s + static_cast<int64_t>(rows_of_series(one, *step)) * *step);
  }
  rows.count = static_cast<size_t>((end_s - rows.start_s) / *step);
  if (Status s = call.check_points(static_cast<double>(rows.count)); !s) return s.error();
  return rows;
}

std::vector<double> values_of(const SlotColumns& total, const Summary& summary) {
  std::vector<double> out(total.size(), kNoValue);
  if (summary.kind == Summary::Kind::kPercentile) {
    for (const SlotHistogram& one : total.histograms) {
      const auto row = static_cast<size_t>(one.slot);
      const Bucket bucket = total.bucket_at(row);
      if (!bucket.is_empty())
        out[row] = one.histogram.percentile(summary.quantile, bucket.min(), bucket.max());
    }
    return out;
  }
  for (size_t row = total.present.next(0); row < out.size(); row = total.present.next(row + 1)) {
    const auto mean = stat_number(Stat::kAvg, total.bucket_at(row), Kind::kGauge, 1, 1);
    if (mean) out[row] = mean->value();
  }
  return out;
}

}  // namespace

Result<Series> merged_buckets(Call& call, const SeriesList& series, const Summary& summary, double factor) {
  for (const Series& one : series) {
    if (one.buckets == nullptr && !one.is_merged)
      return call.error("percentiles and " + std::string(kPoolName) + " are of stored series, and \"" +
                        one.name + "\" has been computed");
  }
  const auto rows = common_rows(call, series);
  if (!rows) return rows.error();
  const auto first = std::ranges::find_if(series, [](const Series& one) { return one.buckets != nullptr; });
  if (first == series.end()) return call.error("the series have no buckets");
  SlotColumns total(0, rows->count, first->buckets->parts);
  std::vector<uint32_t> present(rows->count, 0);  // how many series have a bucket
  size_t held_bytes = 0;
  for (const Series& one : series) {
    if (Status s = call.work(one.values.size()); !s) return s.error();
    count_rows(one, *rows, present);
    if (one.is_merged) continue;
    if (Status s = call.work(column_bytes(*one.buckets) / sizeof(double) + rows->count); !s) return s.error();
    const bool is_aligned = one.step_s == rows->step_s && one.start_s == rows->start_s;
    const bool is_in_rows = is_aligned || rows->is_one_value;
    const SlotColumns own = is_in_rows ? SlotColumns() : in_rows(one, *rows);
    const SlotColumns& columns = is_in_rows ? *one.buckets : own;
    total.add(columns, Combine::kMerge);
    const size_t bytes = column_bytes(total);
    if (bytes <= held_bytes) continue;
    if (Status s = call.hold_memory(bytes - held_bytes); !s) return s.error();
    held_bytes = bytes;
  }
  Series out;
  out.start_s = rows->start_s;
  out.step_s = rows->step_s;
  out.end_s = rows->start_s + static_cast<int64_t>(rows->count) * rows->step_s;
  out.values = values_of(total, summary);
  for (size_t i = 0; i < out.values.size(); ++i) {
    if (present[i] < factor * static_cast<double>(series.size())) out.values[i] = kNoValue;
  }
  return out;
}

}  // namespace statmill::graphite
