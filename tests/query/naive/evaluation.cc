#include "tests/query/naive/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "server/promql/binary_ops.h"
#include "server/promql/literals.h"

namespace statmill::naive {
namespace {

using namespace promql;

bool is_counter(SeriesKind kind) { return kind == SeriesKind::kCounter || kind == SeriesKind::kEvent; }

// What an instant selector and a range selector read of a slot.
Quad value_of_slot(SeriesKind kind, const SampledSlot& slot) {
  return is_counter(kind) ? slot.total : slot.sum / static_cast<Quad>(slot.samples.size());
}

bool keeps_name(std::string_view function) {
  return function == "last_over_time" || function == "first_over_time";
}

// histogram_quantiles(v, label, q...): a row for each q, which the label says.
Vector quantiles(const FunctionCall& call, const Vector& in) {
  Vector out;
  for (const double q : call.numbers) {
    std::string text;
    promql::append_plain_float(text, q);
    if (text.find('.') == std::string::npos) text += ".0";  // as OpenMetrics writes floats
    for (Element element : histogram_function({"histogram_quantile", {q}, {}, call.time}, in)) {
      element.labels[call.texts[0]] = text;
      out.push_back(std::move(element));
    }
  }
  return out;
}

}  // namespace

template <class T>
T Evaluation::value_of(Result<T> result) {
  if (result) return *std::move(result);
  if (!error_) error_ = result.error();
  return {};
}

Vector Evaluation::distinct(Vector vector) {
  std::set<Labels> seen;
  for (const Element& element : vector) {
    if (seen.insert(element.labels).second || error_) continue;
    error_ = Error{ErrorCode::kInvalid, "vector cannot contain metrics with the same labelset"};
  }
  return vector;
}

const Expression& Evaluation::expression(NodeIndex index) const {
  const Expression& expression = tree_.at(index).expression;
  const auto* inside = std::get_if<Parentheses>(&expression);
  return inside == nullptr ? expression : this->expression(inside->inner);
}

Timestamp Evaluation::shifted(const TimeShift& shift, Timestamp time) const {
  if (shift.at == At::kTime) time = Timestamp(Duration(shift.at_ms));
  if (shift.at == At::kStart) time = grid_.start;
  if (shift.at == At::kEnd) time = grid_.end;
  return time - shift.offset;
}

Operand Evaluation::operand(NodeIndex index, Timestamp time) {
  const Expression& node = expression(index);
  if (const auto* number = std::get_if<NumberLiteral>(&node)) return Quad(number->value);
  if (const auto* text = std::get_if<StringLiteral>(&node)) return text->value;
  if (const auto* selector = std::get_if<Selector>(&node)) return selected(*selector, time);
  if (const auto* unary = std::get_if<Unary>(&node)) return negated(*unary, time);
  if (const auto* call = std::get_if<Call>(&node)) return called(*call, time);
  if (const auto* aggregation = std::get_if<Aggregation>(&node)) return aggregated(*aggregation, time);
  if (const auto* binary = std::get_if<Binary>(&node)) return combined(*binary, time);
  if (!error_) error_ = Error{ErrorCode::kInvalid, "a range vector has no value at one time"};
  return Vector();
}

Vector Evaluation::vector(NodeIndex index, Timestamp time) {
  Operand value = operand(index, time);
  auto* found = std::get_if<Vector>(&value);
  return found == nullptr ? Vector() : std::move(*found);
}

double Evaluation::scalar(NodeIndex index, Timestamp time) {
  const Operand value = operand(index, time);
  const auto* found = std::get_if<Quad>(&value);
  return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : rounded(*found);
}

// The newest slot that begins in [time - lookback, time).
const SampledSlot* Evaluation::newest_slot(const StoredSeries& series, Timestamp time) const {
  const SampledSlot* newest = nullptr;
  for (const SampledSlot& slot : series.slots) {
    if (slot.begin >= time - setting_.lookback && slot.begin < time) newest = &slot;
  }
  return newest;
}

Vector Evaluation::selected(const Selector& selector, Timestamp time) {
  const Timestamp at = shifted(selector.shift, time);
  Vector out;
  for (const StoredSeries& series : series_) {
    if (!matches(selector, series.labels)) continue;
    const SampledSlot* slot = newest_slot(series, at);
    if (slot != nullptr) out.push_back({series.labels, value_of_slot(series.kind, *slot)});
  }
  return out;
}

// The slots that begin in [time - range, time), the range rounded up to whole slots.
std::vector<Window> Evaluation::ranges(const RangeSelector& range, Timestamp time) {
  const Duration slot = setting_.slot;
  const Duration whole = (range.range + slot - Duration(1)) / slot * slot;
  const Timestamp at = shifted(range.selector.shift, time);
  // The first begin of a slot that is not before at - whole.
  const int64_t first_slot = (at - whole + slot - Duration(1)).time_since_epoch() / slot;
  const Timestamp begin = Timestamp(first_slot * slot);
  const Timestamp open = Timestamp(setting_.now.time_since_epoch() / slot * slot);
  const Timestamp passed_until = std::max(setting_.now, open + std::chrono::seconds(1));
  std::vector<Window> out;
  for (const StoredSeries& series : series_) {
    if (!matches(range.selector, series.labels)) continue;
    Window window{series.labels, series.kind, begin, begin + whole, 0, {}};
    Duration slots(0);  // the time of slots with samples that has passed; a slot ahead counts as a whole one
    for (const SampledSlot& each : series.slots) {
      if (each.begin < begin || each.begin >= at) continue;
      slots += each.begin == open ? passed_until - open : slot;
      window.points.push_back({each.begin, each.begin + slot / 2, value_of_slot(series.kind, each), &each});
    }
    if (series.kind == SeriesKind::kDistribution) slots = begin < passed_until ? Duration(0) : whole;
    window.seconds = seconds_of(std::min(std::max(passed_until - begin, slots), whole));
    if (!window.points.empty()) out.push_back(std::move(window));
  }
  return out;
}

// Points at multiples of the step in (time - range, time].
std::vector<Window> Evaluation::subquery(const Subquery& subquery, Timestamp time) {
  const Timestamp at = shifted(subquery.shift, time);
  const Duration step = subquery.step == Duration(0) ? setting_.subquery_step : subquery.step;
  const Timestamp after = at - subquery.range;
  std::map<Labels, Window> by_labels;
  for (Timestamp t = Timestamp(after.time_since_epoch() / step * step + step); t <= at; t += step) {
    for (const Element& element : vector(subquery.expression, t)) {
      const auto* number = std::get_if<Quad>(&element.value);
      if (number == nullptr) continue;
      Window& window = by_labels[element.labels];
      window.points.push_back({t, t, *number, nullptr});
    }
  }
  std::vector<Window> out;
  for (auto& [labels, window] : by_labels) {
    window.labels = labels;
    window.begin = after;
    window.end = at;
    window.seconds = seconds_of(subquery.range);
    out.push_back(std::move(window));
  }
  return out;
}

std::vector<Window> Evaluation::windows(NodeIndex index, Timestamp time) {
  const Expression& node = expression(index);
  if (const auto* range = std::get_if<RangeSelector>(&node)) return ranges(*range, time);
  if (const auto* inner = std::get_if<Subquery>(&node)) return subquery(*inner, time);
  return {};
}

Operand Evaluation::negated(const Unary& unary, Timestamp time) {
  Operand value = operand(unary.operand, time);
  if (!unary.is_minus) return value;
  if (auto* number = std::get_if<Quad>(&value)) return -*number;
  Vector out;
  for (const Element& element : std::get<Vector>(value)) {
    const auto* number = std::get_if<Quad>(&element.value);
    if (number != nullptr) out.push_back({without_name(element.labels), -*number});
  }
  return distinct(std::move(out));
}

Operand Evaluation::aggregated(const Aggregation& aggregation, Timestamp time) {
  AggregationCall call{aggregation, 0, {}};
  if (aggregation.parameter != kNoNode) {
    const Operand parameter = operand(aggregation.parameter, time);
    if (const auto* text = std::get_if<std::string>(&parameter)) call.text = *text;
    if (const auto* number = std::get_if<Quad>(&parameter)) call.number = rounded(*number);
  }
  const std::string_view refusal = aggregation.aggregator->refusal;
  if (!refusal.empty() && !error_) error_ = Error{ErrorCode::kUnavailable, std::string(refusal)};
  if (error_) return Vector();
  return distinct(aggregate(call, vector(aggregation.operand, time)));
}

Operand Evaluation::combined(const Binary& binary, Timestamp time) {
  const bool is_left_scalar = tree_.at(binary.left).type == ValueType::kScalar;
  const bool is_right_scalar = tree_.at(binary.right).type == ValueType::kScalar;
  if (is_left_scalar && is_right_scalar) {
    const auto value = compute(binary.op, scalar(binary.left, time), scalar(binary.right, time));
    return is_comparison(binary.op) ? Quad(value ? 1 : 0) : Quad(*value);
  }
  if (is_left_scalar || is_right_scalar) return distinct(with_scalar(binary, time));
  return distinct(value_of(match_vectors(binary, vector(binary.left, time), vector(binary.right, time))));
}

// A comparison keeps the value of the vector, on whichever side it is.
Vector Evaluation::with_scalar(const Binary& binary, Timestamp time) {
  const bool is_left_scalar = tree_.at(binary.left).type == ValueType::kScalar;
  const double number = scalar(is_left_scalar ? binary.left : binary.right, time);
  const bool keeps = is_comparison(binary.op) && !binary.returns_bool;
  Vector out;
  for (const Element& element : vector(is_left_scalar ? binary.right : binary.left, time)) {
    Labels labels = keeps ? element.labels : without_name(element.labels);
    const auto* found = std::get_if<Quad>(&element.value);
    if (found == nullptr) {
      const bool is_scaled = binary.op == BinaryOp::kMul || (binary.op == BinaryOp::kDiv && !is_left_scalar);
      if (!is_scaled) continue;
      SampleList samples = std::get<SampleList>(element.value);
      for (WeightedSample& s : samples)
        s.weight = binary.op == BinaryOp::kMul ? s.weight * Quad(number) : s.weight / Quad(number);
      out.push_back({std::move(labels), std::move(samples)});
      continue;
    }
    const double value = rounded(*found);
    const auto result =
        is_left_scalar ? compute(binary.op, number, value) : compute(binary.op, value, number);
    if (binary.returns_bool) {
      out.push_back({std::move(labels), Quad(result ? 1 : 0)});
    } else if (result) {
      out.push_back({std::move(labels), keeps ? *found : Quad(*result)});
    }
  }
  return out;
}

Operand Evaluation::called(const Call& call, Timestamp time) {
  const std::string_view name = call.function->name;
  const auto& types = call.function->argument_types;
  const bool has_vector = std::find(types.begin(), types.end(), ValueType::kVector) != types.end();
  const bool has_windows = std::find(types.begin(), types.end(), ValueType::kMatrix) != types.end();
  if (name == "scalar") {
    const Vector only = vector(call.arguments[0], time);
    const bool is_one = only.size() == 1 && std::holds_alternative<Quad>(only[0].value);
    return is_one ? std::get<Quad>(only[0].value) : Quad(std::numeric_limits<double>::quiet_NaN());
  }
  if (name == "absent" || name == "absent_over_time") return absent(call, time);
  if (name == "timestamp") return distinct(times_of(call, time));
  if (!call.function->refusal.empty() && name != "resets") {
    if (!error_) error_ = Error{ErrorCode::kUnavailable, std::string(call.function->refusal)};
    return Vector();
  }
  FunctionCall arguments{name, {}, {}, time};
  for (const NodeIndex argument : call.arguments) {
    const Expression& node = expression(argument);
    if (const auto* text = std::get_if<StringLiteral>(&node)) arguments.texts.push_back(text->value);
    if (tree_.at(argument).type == ValueType::kScalar) arguments.numbers.push_back(scalar(argument, time));
  }
  if (has_windows) return distinct(called_of_windows(call, arguments));
  return has_vector ? Operand(distinct(called_of_vector(call, arguments)))
                    : called_without_vector(call, time);
}

Operand Evaluation::called_without_vector(const Call& call, Timestamp time) {
  if (call.function->name == "time") return Quad(seconds_of(time));
  if (call.function->name == "pi") return Quad(std::acos(-1.0));
  return Vector{{{}, Quad(scalar(call.arguments[0], time))}};  // vector()
}

Vector Evaluation::called_of_windows(const Call& call, const FunctionCall& arguments) {
  Vector out;
  for (const NodeIndex argument : call.arguments) {
    for (const Window& window : windows(argument, arguments.time)) {
      const auto value = value_of(over_time(arguments, window));
      if (!value) continue;
      out.push_back({keeps_name(arguments.name) ? window.labels : without_name(window.labels), *value});
    }
  }
  return out;
}

Vector Evaluation::called_of_vector(const Call& call, const FunctionCall& arguments) {
  const std::string_view name = arguments.name;
  Vector in;
  for (const NodeIndex argument : call.arguments) {
    if (tree_.at(argument).type == ValueType::kVector) in = vector(argument, arguments.time);
  }
  if (call.arguments.empty())
    in = {{{}, Quad(seconds_of(arguments.time))}};  // hour() is hour(vector(time()))
  if (name == "label_replace" || name == "label_join") return value_of(label_function(arguments, in));
  if (name == "histogram_quantiles") return quantiles(arguments, in);
  if (name.starts_with("histogram_")) return histogram_function(arguments, in);
  if (name.starts_with("sort")) {
    if (name.starts_with("sort_by_label")) return in;
    const auto number = [](const Element& e) { return rounded(std::get<Quad>(e.value)); };
    std::erase_if(in, [](const Element& e) { return !std::holds_alternative<Quad>(e.value); });
    std::stable_sort(in.begin(), in.end(), [&](const Element& a, const Element& b) {
      if (std::isnan(number(a)) || std::isnan(number(b)))
        return !std::isnan(number(a)) && std::isnan(number(b));
      return name == "sort" ? number(a) < number(b) : number(a) > number(b);
    });
    return in;
  }
  if (name == "clamp" && arguments.numbers[1] < arguments.numbers[0]) return {};
  Vector out;
  for (const Element& element : in) {
    const auto* number = std::get_if<Quad>(&element.value);
    if (number == nullptr) continue;
    if (const auto value = number_function(arguments, rounded(*number)))
      out.push_back({without_name(element.labels), Quad(*value)});
  }
  return out;
}

Vector Evaluation::absent(const Call& call, Timestamp time) {
  const NodeIndex argument = call.arguments[0];
  const bool is_range = call.function->name == "absent_over_time";
  const bool is_empty = is_range ? windows(argument, time).empty() : vector(argument, time).empty();
  if (!is_empty) return {};
  const Expression& node = expression(argument);
  if (const auto* selector = std::get_if<Selector>(&node)) return {{labels_of_absent(*selector), Quad(1)}};
  if (const auto* range = std::get_if<RangeSelector>(&node))
    return {{labels_of_absent(range->selector), Quad(1)}};
  return {{{}, Quad(1)}};
}

// A selector has the times at which its slots begin, any other vector that of the evaluation.
Vector Evaluation::times_of(const Call& call, Timestamp time) {
  Vector out;
  const auto* selector = std::get_if<Selector>(&expression(call.arguments[0]));
  if (selector == nullptr) {
    for (const Element& element : vector(call.arguments[0], time)) {
      out.push_back({without_name(element.labels), Quad(seconds_of(time))});
    }
    return out;
  }
  for (const StoredSeries& series : series_) {
    if (!matches(*selector, series.labels)) continue;
    const SampledSlot* slot = newest_slot(series, shifted(selector->shift, time));
    if (slot != nullptr) out.push_back({without_name(series.labels), Quad(seconds_of(slot->begin))});
  }
  return out;
}

}  // namespace statmill::naive
