#include "server/query/ops/unique_series.h"

#include <utility>

#include "server/query/ops/column_sum.h"
#include "server/query/ops/histogram_columns.h"

namespace statmill {
namespace {

Error same_labels() { return {ErrorCode::kInvalid, std::string(kSameLabels)}; }

bool has_common_point(const Presence& a, const Presence& b) {
  for (size_t w = 0; w < a.words().size(); ++w) {
    if ((a.words()[w] & b.words()[w]) != 0) return true;
  }
  return false;
}

void copy_numbers(Numbers& numbers, Numbers other) {
  bring_to_one_scale(numbers, other);
  for (size_t i = other.present.next(0); i < other.size(); i = other.present.next(i + 1)) {
    numbers.present.set(i);
    if (numbers.is_real()) {
      numbers.reals[i] = other.reals[i];
    } else {
      numbers.integers[i] = other.integers[i];
    }
  }
}

}  // namespace

Status UniqueSeries::add(SeriesValues series) {
  const auto found = by_key_.try_emplace(series.labels.key()).first;
  Indices& indices = found->second;
  for (const size_t other : {indices.numbers, indices.histograms}) {
    Presence other_storage;
    Presence storage;
    if (other != kNone &&
        has_common_point(presence_of(series_[other], other_storage), presence_of(series, storage))) {
      return same_labels();
    }
  }
  size_t& same_kind = series.histograms ? indices.histograms : indices.numbers;
  if (same_kind == kNone) {
    same_kind = series_.size();
    held_bytes_ += memory_bytes_of(series) + found->first.size();
    series_.push_back(std::move(series));
    return Status::ok();
  }
  if (refuses_all_) return same_labels();
  SeriesValues& first = series_[same_kind];
  if (!first.histograms) {
    copy_numbers(first.numbers, std::move(series.numbers));
    return Status::ok();
  }
  held_bytes_ += memory_bytes_of(series);
  return merge_histograms(*first.histograms, *series.histograms) ? Status::ok() : same_labels();
}

Status UniqueSeries::finish(const std::function<Status(SeriesValues)>& take) {
  for (SeriesValues& series : series_) {
    if (!has_values(series)) continue;
    if (Status status = take(std::move(series)); !status) return status;
  }
  return Status::ok();
}

}  // namespace statmill
