#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "proto/histogram_partition.h"
#include "server/promql/binary_ops.h"
#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

using promql::Binary;
using promql::BinaryOp;
using promql::Cardinality;
using promql::Matching;

bool is_listed(const std::vector<std::string>& list, const std::string& label) {
  return std::find(list.begin(), list.end(), label) != list.end();
}

// What both sides must have in common.
Labels signature_of(const Matching& matching, const Labels& labels) {
  Labels out;
  for (const auto& [label, value] : labels) {
    const bool is_in = is_listed(matching.labels, label);
    if (matching.is_on ? is_in : !is_in && label != promql::kNameLabel) out[label] = value;
  }
  return out;
}

Vector set_of(const Binary& binary, const Vector& left, const Vector& right) {
  const Matching& matching = *binary.matching;
  const auto signatures = [&](const Vector& vector) {
    std::set<Labels> out;
    for (const Element& element : vector) out.insert(signature_of(matching, element.labels));
    return out;
  };
  const std::set<Labels> on_left = signatures(left);
  const std::set<Labels> on_right = signatures(right);
  Vector out;
  for (const Element& element : left) {
    const bool is_matched = on_right.contains(signature_of(matching, element.labels));
    if (binary.op == BinaryOp::kOr || is_matched == (binary.op == BinaryOp::kAnd)) out.push_back(element);
  }
  for (const Element& element : right) {
    const bool is_new = !on_left.contains(signature_of(matching, element.labels));
    if (binary.op == BinaryOp::kOr && is_new) out.push_back(element);
  }
  return out;
}

// The labels of a result: those of the many side, less what the match leaves out, plus what it includes.
Labels result_labels(const Binary& binary, const Labels& many, const Labels& one) {
  const Matching& matching = *binary.matching;
  Labels out = many;
  if (!promql::is_comparison(binary.op) || binary.returns_bool) out = without_name(out);
  if (matching.cardinality == Cardinality::kOneToOne) {
    std::erase_if(out,
                  [&](const auto& pair) { return is_listed(matching.labels, pair.first) != matching.is_on; });
  }
  for (const std::string& label : matching.include) set_label(out, label, value_or_empty(one, label));
  return out;
}

// The weight of all samples in each cell of a distribution.
std::map<HistogramIndex, double> cells_of(const SampleList& samples) {
  std::map<HistogramIndex, Quad> weights;
  for (const WeightedSample& sample : samples)
    weights[histogram_index(rounded(sample.value))] += sample.weight;
  std::map<HistogramIndex, double> cells;
  for (const auto& [index, weight] : weights) cells[index] = rounded(weight);
  return cells;
}

bool are_equal(const SampleList& a, const SampleList& b) {
  const auto sum_of = [](const SampleList& samples) {
    Quad sum = 0;
    for (const WeightedSample& sample : samples) sum += sample.value * sample.weight;
    return rounded(sum);
  };
  return sum_of(a) == sum_of(b) && cells_of(a) == cells_of(b);
}

// Each sample of `less` cancels an equal one. Only differences of a part from its whole are asked for.
std::optional<PointValue> without(SampleList all, const SampleList& less) {
  for (const WeightedSample& sample : less) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const WeightedSample& other) {
      return other.value == sample.value && other.weight == sample.weight;
    });
    if (found == all.end()) return std::nullopt;
    all.erase(found);
  }
  return all.empty() ? std::nullopt : std::optional<PointValue>(all);
}

std::optional<PointValue> combined_histograms(const Binary& binary, const SampleList& left,
                                              const SampleList& right) {
  if (binary.op == BinaryOp::kSub) return without(left, right);
  if (binary.op == BinaryOp::kEqual || binary.op == BinaryOp::kNotEqual) {
    const bool holds = are_equal(left, right) == (binary.op == BinaryOp::kEqual);
    if (binary.returns_bool) return Quad(holds ? 1 : 0);
    return holds ? std::optional<PointValue>(left) : std::nullopt;
  }
  if (binary.op != BinaryOp::kAdd) return std::nullopt;
  SampleList sum = left;
  sum.insert(sum.end(), right.begin(), right.end());
  return sum;
}

// A histogram is multiplied or divided by a number, and combined with another.
std::optional<PointValue> combined(const Binary& binary, const PointValue& left, const PointValue& right) {
  const auto* a = std::get_if<Quad>(&left);
  const auto* b = std::get_if<Quad>(&right);
  if (a != nullptr && b != nullptr) {
    const auto value = compute(binary.op, rounded(*a), rounded(*b));
    if (binary.returns_bool) return Quad(value.has_value() ? 1 : 0);
    return value ? std::optional<PointValue>(promql::is_comparison(binary.op) ? *a : *value) : std::nullopt;
  }
  if (a == nullptr && b == nullptr)
    return combined_histograms(binary, std::get<SampleList>(left), std::get<SampleList>(right));
  const bool is_product = binary.op == BinaryOp::kMul;
  if (!is_product && (binary.op != BinaryOp::kDiv || b == nullptr)) return std::nullopt;
  SampleList scaled = std::get<SampleList>(a == nullptr ? left : right);
  const Quad factor = a == nullptr ? *b : *a;
  for (WeightedSample& sample : scaled)
    sample.weight = is_product ? sample.weight * factor : sample.weight / factor;
  return scaled;
}

Error refused(const char* why) { return {ErrorCode::kInvalid, why}; }

}  // namespace

std::optional<double> compute(BinaryOp op, double left, double right) {
  const auto if_true = [&](bool is_true) { return is_true ? std::optional<double>(left) : std::nullopt; };
  switch (op) {
    case BinaryOp::kAdd:
      return left + right;
    case BinaryOp::kSub:
      return left - right;
    case BinaryOp::kMul:
      return left * right;
    case BinaryOp::kDiv:
      return left / right;
    case BinaryOp::kMod:
      return std::fmod(left, right);
    case BinaryOp::kPow:
      return std::pow(left, right);
    case BinaryOp::kAtan2:
      return std::atan2(left, right);
    case BinaryOp::kEqual:
      return if_true(left == right);
    case BinaryOp::kNotEqual:
      return if_true(left != right);
    case BinaryOp::kLess:
      return if_true(left < right);
    case BinaryOp::kLessOrEqual:
      return if_true(left <= right);
    case BinaryOp::kGreater:
      return if_true(left > right);
    case BinaryOp::kGreaterOrEqual:
      return if_true(left >= right);
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kUnless:
      break;
  }
  return std::nullopt;
}

Result<Vector> match_vectors(const Binary& binary, const Vector& left, const Vector& right) {
  if (promql::is_set_op(binary.op)) return set_of(binary, left, right);
  if (left.empty() || right.empty()) return Vector();
  const Matching& matching = *binary.matching;
  const bool is_left_one = matching.cardinality == Cardinality::kOneToMany;
  const Vector& many = is_left_one ? right : left;
  const Vector& one = is_left_one ? left : right;
  std::map<Labels, const Element*> by_signature;
  for (const Element& element : one) {
    if (!by_signature.emplace(signature_of(matching, element.labels), &element).second) {
      return refused("many-to-many matching not allowed: matching labels must be unique on one side");
    }
  }
  std::set<Labels> matched;  // signatures if the match is one-to-one, otherwise labels of results
  Vector out;
  for (const Element& element : many) {
    const Labels signature = signature_of(matching, element.labels);
    const auto found = by_signature.find(signature);
    if (found == by_signature.end()) continue;
    const Element& other = *found->second;
    const auto value = is_left_one ? combined(binary, other.value, element.value)
                                   : combined(binary, element.value, other.value);
    if (!value) continue;
    Labels labels = result_labels(binary, element.labels, other.labels);
    const bool is_one_to_one = matching.cardinality == Cardinality::kOneToOne;
    if (!matched.insert(is_one_to_one ? signature : labels).second) {
      return refused(is_one_to_one
                         ? "multiple matches for labels: many-to-one matching must be explicit"
                         : "multiple matches for labels: grouping labels must ensure unique matches");
    }
    out.push_back({std::move(labels), *value});
  }
  return out;
}

}  // namespace statmill::naive
