// Evaluation: computes one query at one time, by recursion over its syntax tree.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/query/naive/functions.h"

namespace statmill::naive {

// A scalar, a vector or a string.
using Operand = std::variant<Quad, Vector, std::string>;

struct StoredSeries {
  Labels labels;
  SeriesKind kind;
  std::vector<SampledSlot> slots;
};

// Confined to one thread. `tree` and `series` must outlive it. After the first error the results mean
// nothing.
class Evaluation {
 public:
  Evaluation(const promql::SyntaxTree& tree, const std::vector<StoredSeries>& series, const Grid& grid,
             const Setting& setting)
      : tree_(tree), series_(series), grid_(grid), setting_(setting) {}

  Operand root(Timestamp time) { return operand(tree_.root, time); }
  const std::optional<Error>& error() const { return error_; }

 private:
  Operand operand(promql::NodeIndex index, Timestamp time);
  Vector vector(promql::NodeIndex index, Timestamp time);
  double scalar(promql::NodeIndex index, Timestamp time);
  std::vector<Window> windows(promql::NodeIndex index, Timestamp time);

  Vector selected(const promql::Selector& selector, Timestamp time);
  std::vector<Window> ranges(const promql::RangeSelector& range, Timestamp time);
  std::vector<Window> subquery(const promql::Subquery& subquery, Timestamp time);
  Operand negated(const promql::Unary& unary, Timestamp time);
  Operand called(const promql::Call& call, Timestamp time);
  Operand called_without_vector(const promql::Call& call, Timestamp time);
  Vector called_of_vector(const promql::Call& call, const FunctionCall& arguments);
  Vector called_of_windows(const promql::Call& call, const FunctionCall& arguments);
  Vector absent(const promql::Call& call, Timestamp time);
  Vector times_of(const promql::Call& call, Timestamp time);
  Operand aggregated(const promql::Aggregation& aggregation, Timestamp time);
  Operand combined(const promql::Binary& binary, Timestamp time);
  Vector with_scalar(const promql::Binary& binary, Timestamp time);

  const promql::Expression& expression(promql::NodeIndex index) const;  // without parentheses
  Timestamp shifted(const promql::TimeShift& shift, Timestamp time) const;
  const SampledSlot* newest_slot(const StoredSeries& series, Timestamp time) const;
  // Notes an error if two elements have the same labels.
  Vector distinct(Vector vector);
  template <class T>
  T value_of(Result<T> result);

  const promql::SyntaxTree& tree_;
  const std::vector<StoredSeries>& series_;
  const Grid grid_;
  const Setting setting_;
  std::optional<Error> error_;  // the first
};

}  // namespace statmill::naive
