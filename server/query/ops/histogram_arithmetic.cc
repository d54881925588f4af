#include "server/query/ops/histogram_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "server/query/ops/histogram_columns.h"
#include "server/query/ops/histogram_difference.h"

namespace statmill {
namespace {

using plan::Operator;

bool is_positive(double value) { return value > 0 && std::isfinite(value); }

// The words of Prometheus.
std::string incompatible_types(Operator op, bool is_left_histogram, bool is_right_histogram) {
  const auto type = [](bool is_histogram) { return is_histogram ? "histogram" : "float"; };
  return "incompatible types encountered for binary operator \"" + std::string(plan::operator_text(op)) +
         "\": " + type(is_left_histogram) + " " + std::string(plan::operator_text(op)) + " " +
         type(is_right_histogram);
}

// Returns true if a histogram and a number have a result.
bool is_multiple(Operator op, bool is_left_histogram) {
  return op == Operator::kMul || (op == Operator::kDiv && is_left_histogram);
}

// The seconds of a histogram that is multiplied or divided. Not positive if that cannot be represented.
double scaled_seconds(Operator op, double seconds, double factor) {
  if (!is_positive(factor)) return 0;
  return op == Operator::kMul ? seconds / factor : seconds * factor;
}

void copy_point(const Histograms& from, size_t point, Histograms& to) {
  to.buckets[point] = from.buckets[point];
  to.histograms[point] = from.histograms[point];
  to.seconds[point] = from.seconds[point];
}

// Returns false, and changes nothing, if the histograms are rates over different times.
bool add_point(const Histograms& from, size_t point, Histograms& to) {
  if (to.seconds[point] != from.seconds[point]) return false;
  to.buckets[point].merge(from.buckets[point]);
  to.histograms[point].merge(from.histograms[point]);
  return true;
}

bool combine_with_number(const HistogramPair& pair, SeriesValues& result, QueryNotes& notes) {
  const bool is_left = pair.left.histograms.has_value();
  if (!is_multiple(pair.op, is_left)) {
    add_note(notes.infos, incompatible_types(pair.op, is_left, !is_left));
    return false;
  }
  const Histograms& histograms = is_left ? *pair.left.histograms : *pair.right.histograms;
  const Numbers& numbers = is_left ? pair.right.numbers : pair.left.numbers;
  const double seconds = scaled_seconds(pair.op, histograms.seconds[pair.point], numbers.value(pair.point));
  if (!is_positive(seconds)) {
    add_note(notes.warnings, kPositiveFactors);
    return false;
  }
  copy_point(histograms, pair.point, *result.histograms);
  result.histograms->seconds[pair.point] = seconds;
  return true;
}

// Returns true if counts, sum and cells are equal, which is what Prometheus compares.
bool are_equal(const Histograms& a, const Histograms& b, size_t i) {
  const double a_seconds = a.seconds[i];
  const double b_seconds = b.seconds[i];
  const auto is_same_rate = [&](double x, double y) { return x / a_seconds == y / b_seconds; };
  const auto is_same_count = [&](uint64_t x, uint64_t y) {
    return is_same_rate(static_cast<double>(x), static_cast<double>(y));
  };
  const auto is_same_cell = [&](const HistogramCell& x, const HistogramCell& y) {
    return x.index == y.index && is_same_count(x.count, y.count);
  };
  return is_same_count(a.buckets[i].count(), b.buckets[i].count()) &&
         is_same_rate(a.buckets[i].sum(), b.buckets[i].sum()) &&
         a.histograms[i].joined_power() == b.histograms[i].joined_power() &&
         std::ranges::equal(a.histograms[i].cells(), b.histograms[i].cells(), is_same_cell);
}

bool subtract_point(const Histograms& all, const Histograms& less, size_t i, Histograms& result,
                    QueryNotes& notes) {
  if (all.seconds[i] != less.seconds[i]) {
    add_note(notes.warnings, kOtherSeconds);
    return false;
  }
  // The samples of gauges are in the bucket, but in no cell.
  const auto has_all_cells = [i](const Histograms& h) {
    return std::min(h.histograms[i].count(), Bucket::kCountMax) == h.buckets[i].count();
  };
  if (!has_all_cells(all) || !has_all_cells(less)) {
    add_note(notes.warnings, kBucketsWithoutCells);
    return false;
  }
  auto left = difference({all.buckets[i], all.histograms[i]}, {less.buckets[i], less.histograms[i]});
  if (!left) {
    add_note(notes.warnings, kNoDifference);
    return false;
  }
  result.buckets[i] = left->bucket;
  result.histograms[i] = std::move(left->histogram);
  result.seconds[i] = all.seconds[i];
  return true;
}

}  // namespace

Histograms absent_histograms(size_t points) {
  return {std::vector<Bucket>(points), std::vector<SparseHistogram>(points), std::vector<double>(points, 1)};
}

void remove_point(Histograms& histograms, size_t point) {
  histograms.buckets[point] = {};
  histograms.histograms[point] = {};
}

void scale_histograms(const plan::ScalarMap& node, const Numbers& scalar, Histograms& histograms,
                      QueryNotes& notes) {
  const bool has_result = is_multiple(node.op, !node.is_scalar_left);
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (histograms.buckets[i].is_empty()) continue;
    const double seconds = has_result ? scaled_seconds(node.op, histograms.seconds[i], scalar.reals[i]) : 0;
    if (is_positive(seconds)) {
      histograms.seconds[i] = seconds;
      continue;
    }
    if (has_result) {
      add_note(notes.warnings, kPositiveFactors);
    } else {
      add_note(notes.infos, incompatible_types(node.op, !node.is_scalar_left, node.is_scalar_left));
    }
    remove_point(histograms, i);
  }
}

bool combine_histograms(const HistogramPair& pair, SeriesValues& result, QueryNotes& notes) {
  if (!pair.left.histograms || !pair.right.histograms) return combine_with_number(pair, result, notes);
  const Histograms& left = *pair.left.histograms;
  const Histograms& right = *pair.right.histograms;
  switch (pair.op) {
    case Operator::kAdd:
      copy_point(left, pair.point, *result.histograms);
      if (add_point(right, pair.point, *result.histograms)) return true;
      remove_point(*result.histograms, pair.point);
      add_note(notes.warnings, kOtherSeconds);
      return false;
    case Operator::kSub:
      return subtract_point(left, right, pair.point, *result.histograms, notes);
    case Operator::kEqual:
    case Operator::kNotEqual: {
      const bool holds = are_equal(left, right, pair.point) == (pair.op == Operator::kEqual);
      if (pair.returns_bool) {
        result.numbers.set(pair.point, static_cast<double>(holds));
        return true;
      }
      if (holds) copy_point(left, pair.point, *result.histograms);
      return holds;
    }
    default:
      add_note(notes.infos, incompatible_types(pair.op, true, true));
      return false;
  }
}

HistogramSum::HistogramSum(size_t points)
    : buckets_(points),
      sums_(points),
      seconds_(points, 1),
      counts_(points),
      left_out_(points),
      held_bytes_(points * (sizeof(Bucket) + sizeof(Sum) + sizeof(double) + sizeof(uint32_t))) {}

void HistogramSum::Sum::add(const SparseHistogram& histogram) {
  if (!counters_.is_empty()) return counters_.add(histogram);
  if (list_.is_empty()) {
    list_ = histogram;
    return;
  }
  list_.merge(histogram);
  if (list_.is_empty()) return;
  constexpr size_t kSpread = 8;  // counters then take at most four times the memory of the list
  const auto cells = list_.cells();
  if (static_cast<size_t>(cells.back().index - cells.front().index) > kSpread * cells.size()) return;
  counters_.add(std::exchange(list_, {}));
}

void HistogramSum::add(const Histograms& histograms) {
  const Presence present = presence_of(histograms);
  counts_.add(present);
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
    if (left_out_[i]) continue;
    held_bytes_ -= sums_[i].memory_bytes();
    if (buckets_[i].is_empty()) seconds_[i] = histograms.seconds[i];
    if (seconds_[i] != histograms.seconds[i]) {
      buckets_[i] = {};
      sums_[i] = {};
      left_out_.set(i);
      continue;
    }
    buckets_[i].merge(histograms.buckets[i]);
    sums_[i].add(histograms.histograms[i]);
    held_bytes_ += sums_[i].memory_bytes();
  }
}

Histograms HistogramSum::take_sum() {
  Histograms out{std::move(buckets_), {}, std::move(seconds_)};
  out.histograms.reserve(sums_.size());
  for (Sum& sum : sums_) out.histograms.push_back(std::exchange(sum, {}).take());
  return out;
}

Histograms HistogramSum::take_mean() {
  Histograms out = take_sum();
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out.buckets[i].is_empty()) out.seconds[i] *= static_cast<double>(counts_[i]);
  }
  return out;
}

}  // namespace statmill
