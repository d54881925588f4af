// The functions of PromQL, as the naive evaluator computes them: of windows, of numbers, of histograms, of
// labels, of vectors. Each is pure. Errors are those of evaluate().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/query/naive/values.h"

namespace statmill::naive {

// The slots of a series, ascending; those of events have no gaps until `now`.
// `all`: also the presence of hosts.
std::vector<SampledSlot> slots_of(const SampledSeries& series, const std::vector<SampledSeries>& all,
                                  const Setting& setting);

// The arguments of a function without its vector, in their order.
struct FunctionCall {
  std::string_view name;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  Timestamp time;  // of the evaluation, without offset
};

// Functions of a window, rates apart. Returns nullopt if there is nothing to say. Requires: the window has
// points.
Result<std::optional<PointValue>> over_time(const FunctionCall& call, const Window& window);
// rate, increase, delta, irate, idelta. Returns nullopt for any other name, too.
std::optional<PointValue> rate_of(std::string_view name, const Window& window);
// By Prometheus' linear interpolation between ranks, or by nearest rank.
double interpolated_quantile(double q, std::vector<double> values);
double nearest_rank(double q, SampleList samples);

// Functions of one number, dates included: abs, clamp, day_of_week ... Returns nullopt for any other name.
std::optional<double> number_function(const FunctionCall& call, double value);

// histogram_quantile and the others: native histograms, and classic ones for the quantile.
Vector histogram_function(const FunctionCall& call, const Vector& vector);

// label_replace, label_join. Errors: kInvalid for an expression that is not one.
Result<Vector> label_function(const FunctionCall& call, const Vector& vector);

// Returns true if the labels match all of the selector.
bool matches(const promql::Selector& selector, const Labels& labels);
// The labels of absent(): those that the selector says.
Labels labels_of_absent(const promql::Selector& selector);

// `number` and `text` are the aggregation's parameter.
struct AggregationCall {
  const promql::Aggregation& aggregation;
  double number = 0;
  std::string text;
};
Vector aggregate(const AggregationCall& call, const Vector& vector);

// Returns nullopt if a comparison is false.
std::optional<double> compute(promql::BinaryOp op, double left, double right);
Result<Vector> match_vectors(const promql::Binary& binary, const Vector& left, const Vector& right);

}  // namespace statmill::naive
