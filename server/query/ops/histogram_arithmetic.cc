#include "server/query/ops/histogram_arithmetic.h"

#include <cmath>
#include <string>
#include <utility>

#include "server/query/ops/histogram_columns.h"

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

bool combine_with_number(Operator op, const SeriesValues& left, const SeriesValues& right, size_t point,
                         Histograms& result, QueryNotes& notes) {
  const bool is_left = left.histograms.has_value();
  if (!is_multiple(op, is_left)) {
    add_note(notes.infos, incompatible_types(op, is_left, !is_left));
    return false;
  }
  const Histograms& histograms = is_left ? *left.histograms : *right.histograms;
  const Numbers& numbers = is_left ? right.numbers : left.numbers;
  const double seconds = scaled_seconds(op, histograms.seconds[point], numbers.value(point));
  if (!is_positive(seconds)) {
    add_note(notes.warnings, kPositiveFactors);
    return false;
  }
  copy_point(histograms, point, result);
  result.seconds[point] = seconds;
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

bool combine_histograms(Operator op, const SeriesValues& left, const SeriesValues& right, size_t point,
                        Histograms& result, QueryNotes& notes) {
  if (!left.histograms || !right.histograms)
    return combine_with_number(op, left, right, point, result, notes);
  switch (op) {
    case Operator::kAdd:
      copy_point(*left.histograms, point, result);
      if (add_point(*right.histograms, point, result)) return true;
      remove_point(result, point);
      add_note(notes.warnings, kOtherSeconds);
      return false;
    case Operator::kSub:
    case Operator::kEqual:
    case Operator::kNotEqual:
      add_note(notes.warnings, "histograms are neither subtracted nor compared");
      return false;
    default:
      add_note(notes.infos, incompatible_types(op, true, true));
      return false;
  }
}

void HistogramSum::add(const Histograms& histograms) {
  const Presence present = presence_of(histograms);
  counts_.add(present);
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) {
    if (left_out_[i]) continue;
    if (buckets_[i].is_empty()) seconds_[i] = histograms.seconds[i];
    if (seconds_[i] != histograms.seconds[i]) {
      buckets_[i] = {};
      histograms_[i] = {};
      left_out_.set(i);
      continue;
    }
    buckets_[i].merge(histograms.buckets[i]);
    histograms_[i].add(histograms.histograms[i]);
  }
}

Histograms HistogramSum::take_sum() {
  Histograms out{std::move(buckets_), {}, std::move(seconds_)};
  out.histograms.reserve(histograms_.size());
  for (HistogramAccumulator& sum : histograms_) out.histograms.push_back(std::exchange(sum, {}).histogram());
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
