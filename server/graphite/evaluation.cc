#include "server/graphite/evaluation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest_word.h"
#include "server/graphite/binding.h"
#include "server/graphite/function.h"
#include "server/graphite/passing.h"
#include "server/graphite/target_parser.h"

namespace statmill::graphite {
namespace {

using Kind = SyntaxTree::Kind;
using Node = SyntaxTree::Node;

// Targets that functions such as aliasQuery() evaluate may have such functions in them.
constexpr size_t kTextDepthMax = 4;
constexpr size_t kNameBytesMax = size_t{16} << 10;

Error placed(const Node& node, const Error& error) {
  const std::string& text = error.message;
  const bool has_place = text.starts_with("at ") && text.size() > 3 && text[3] >= '1' && text[3] <= '9';
  if (error.code != ErrorCode::kInvalid || has_place) return error;
  return {error.code, "at " + std::to_string(node.position + 1) + ": " + error.message};
}

Error makes_numbers(const Function& function, const Summary& read) {
  const bool is_pool = read.kind == Summary::Kind::kPool;
  const std::string name = is_pool ? std::string(kPoolName) : "p" + general_text(read.quantile * 100);
  return {ErrorCode::kInvalid, std::string(function.name) + "(): it returns numbers, and " + name +
                                   " above it is of stored " + (is_pool ? "buckets" : "histograms")};
}

Error unknown_function(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Function& function : functions()) names.push_back(function.name);
  return {ErrorCode::kInvalid, "unknown function " + name + "()" + did_you_mean(name, names)};
}

Status check_names(const Function& function, const Value& value) {
  const auto* list = std::get_if<SeriesList>(&value);
  if (list == nullptr) return Status::ok();
  for (const Series& series : *list) {
    if (std::max(series.name.size(), series.path.size()) <= kNameBytesMax) continue;
    return Error{ErrorCode::kInvalid, std::string(function.name) + "(): a name has more than " +
                                          std::to_string(kNameBytesMax) + " bytes"};
  }
  return Status::ok();
}

// Functions may put their texts into the name and the tags of each series.
Status hold_texts(Call& call) {
  size_t text_bytes = 0;
  size_t series = 0;
  for (const Value& value : call.rest(0)) {
    if (const auto* text = std::get_if<std::string>(&value)) text_bytes += text->size();
    if (const auto* list = std::get_if<SeriesList>(&value)) series += list->size();
  }
  return call.hold_memory(text_bytes * series);
}

// Returns the value of a node; no series for one that would have to be evaluated.
Value literal_value(const Node& node) {
  switch (node.kind) {
    case Kind::kNone:
      return {};
    case Kind::kBoolean:
      return node.number != 0;
    case Kind::kNumber:
      return Number{node.number, node.is_integer};
    case Kind::kText:
      return node.text;
    case Kind::kPath:
    case Kind::kCall:
      break;
  }
  return SeriesList();
}

// Returns the groups that a call makes of its series; none if the call is invalid.
GroupOf grouping_of(const SyntaxTree& tree, const Node& call, const Function& function) {
  if (function.groups == nullptr) return {};
  std::vector<NamedValue> values;
  values.reserve(call.arguments.size());
  for (const SyntaxTree::Argument& argument : call.arguments)
    values.push_back({argument.name, literal_value(tree.at(argument.value))});
  const auto arguments = bind_arguments(function, std::move(values));
  return arguments ? function.groups(*arguments) : GroupOf();
}

// The memory that the call holds is given back when this returns.
Result<Value> run(const Function& function, std::vector<Value> arguments, const CallContext& context) {
  Call call(function, std::move(arguments), context);
  if (Status s = hold_texts(call); !s) return s.error();
  return function.run(call);
}

}  // namespace

class Evaluation::NodeCaller final : public Caller {
 public:
  NodeCaller(Evaluation& of, const SyntaxTree& tree, const Node& call, const Context& below)
      : of_(of), tree_(tree), call_(call), below_(below) {}

  Result<SeriesList> evaluate_first(const RequestRange& range) override {
    Context context = below_;
    context.range = {std::max<int64_t>(range.from_s, 0), range.until_s};
    if (context.range.from_s >= context.range.until_s) return SeriesList();  // before 1970
    return counted(of_.list_of(tree_, call_.arguments.front().value, context));
  }
  Result<SeriesList> evaluate_text(std::string_view target) override {
    Context context = below_;
    context.points = 0;
    context.merged_points = 0;
    context.read.reset();
    context.keeps_buckets = false;
    context.group_of = {};
    ++context.depth;
    return counted(of_.list_of_text(target, context));
  }
  std::vector<int64_t> event_times(const EventRequest& request) override {
    return of_.source_.event_times(request);
  }
  // The memory of all that it has returned, which the control holds.
  size_t bytes() const { return bytes_; }

 private:
  Result<SeriesList> counted(Result<SeriesList> list) {
    if (list) bytes_ += memory_bytes_of(*list);
    return list;
  }

  Evaluation& of_;
  const SyntaxTree& tree_;
  const Node& call_;
  const Context& below_;
  size_t bytes_ = 0;
};

Result<SeriesList> Evaluation::evaluate(const SyntaxTree& tree) {
  const bool merges = options_.points > 1 && !options_.x_files_factor;
  Context context;
  context.range = options_.range;
  context.points = merges ? options_.points : 0;
  context.merged_points = options_.points;
  auto list = list_of(tree, tree.root, context);
  if (!list) return list;
  if (options_.points > 0) {
    for (Series& series : *list) consolidate_to(series, options_.points);
  }
  return list;
}

Result<SeriesList> Evaluation::list_of(const SyntaxTree& tree, NodeId id, const Context& context) {
  auto value = value_of(tree, id, context);
  if (!value) return value.error();
  if (auto* list = std::get_if<SeriesList>(&*value)) return std::move(*list);
  SeriesList out;
  if (auto* lists = std::get_if<SeriesLists>(&*value)) {
    for (SeriesList& list : *lists) std::ranges::move(list, std::back_inserter(out));
    return out;
  }
  return placed(tree.at(id), {ErrorCode::kInvalid, "this is no series"});
}

Result<SeriesList> Evaluation::list_of_text(std::string_view target, const Context& context) {
  if (context.depth > kTextDepthMax)
    return Error{ErrorCode::kInvalid, "functions evaluate targets inside each other too often"};
  const auto tree = parse_target(target);
  if (!tree)
    return Error{ErrorCode::kInvalid,
                 "in the target \"" + std::string(target.substr(0, 200)) + "\": " + tree.error().message};
  return list_of(*tree, tree->root, context);
}

Result<Value> Evaluation::value_of(const SyntaxTree& tree, NodeId id, const Context& context) {
  if (Status s = control_.check(); !s) return s.error();
  if (++evaluated_ > control_.limits().evaluations_max)
    return control_.refuse(QueryLimit::kEvaluations, evaluated_);
  const Node& node = tree.at(id);
  switch (node.kind) {
    case Kind::kPath: {
      auto list = fetch({.path = node.text, .text = node.text}, context);
      if (!list) return placed(node, list.error());
      return Value(*std::move(list));
    }
    case Kind::kCall: {
      auto value = call_of(tree, id, context);
      if (!value) return placed(node, value.error());
      return value;
    }
    default:
      return literal_value(node);
  }
}

Result<SeriesList> Evaluation::fetch(FetchRequest request, const Context& context) {
  request.from_s = context.range.from_s;
  request.until_s = context.range.until_s;
  request.read = context.read.value_or(Summary{});
  request.points = request.read.is_of_samples() ? context.merged_points : context.points;
  request.keeps_buckets = context.keeps_buckets;
  request.group_of = context.group_of;
  if (!is_read_of_buckets(request.read)) {
    request.points = 0;
    request.read = {};
  }
  auto list = source_.fetch(request);
  if (!list) return list;
  for (Series& series : *list) {
    series.read = request.read;
    series.consolidation = after_reading(request.read);  // functions bring series to one step
    series.x_files_factor = options_.x_files_factor.value_or(0);
  }
  if (Status s = control_.take_memory(memory_bytes_of(*list)); !s) return s.error();
  return list;
}

Result<SeriesList> Evaluation::fetch_by_tags(const SyntaxTree& tree, NodeId id, const Context& context) {
  const Node& node = tree.at(id);
  FetchRequest request{.path = {}, .text = node.raw};
  for (const SyntaxTree::Argument& argument : node.arguments) {
    const Node& value = tree.at(argument.value);
    if (value.kind != Kind::kText || !argument.name.empty())
      return Error{ErrorCode::kInvalid,
                   "seriesByTag(): each argument is an expression in quotes, such as 'name=cpu'"};
    request.tag_expressions.push_back(value.text);
  }
  return fetch(std::move(request), context);
}

// Returns the context of the arguments of a call.
Result<Evaluation::Context> Evaluation::below(const SyntaxTree& tree, const Node& call,
                                              const Function& function, const Context& context) const {
  Context out = context;
  const auto read = summary_below(tree, call, function, context.read);
  const bool passes = read && (!context.keeps_buckets || keeps_buckets(function));
  if (context.read && context.read->is_of_samples() && !passes) return makes_numbers(function, *context.read);
  const auto merging = merging_of(tree, call, function);
  out.read = merging ? merging : read.value_or(std::nullopt);
  out.keeps_buckets = context.keeps_buckets || merging;
  out.group_of = merging ? grouping_of(tree, call, function) : GroupOf();
  const bool is_result_read = merging && !context.read;  // each of its values is of one band
  if (!passes && !is_result_read) out.points = out.merged_points = 0;
  return out;
}

Result<Value> Evaluation::call_of(const SyntaxTree& tree, NodeId id, const Context& context) {
  const Node& node = tree.at(id);
  const Function* function = find_function(node.text);
  if (function == nullptr) return unknown_function(node.text);
  if (function->name == "seriesByTag") {
    auto list = fetch_by_tags(tree, id, context);
    if (!list) return list.error();
    return Value(*std::move(list));
  }
  const auto found = below(tree, node, *function, context);
  if (!found) return found.error();
  const Context& inner = *found;
  std::vector<NamedValue> values;
  size_t bytes = 0;
  for (const SyntaxTree::Argument& argument : node.arguments) {
    auto value = value_of(tree, argument.value, inner);
    if (!value) return value.error();
    bytes += memory_bytes_of(*value);
    values.push_back({argument.name, *std::move(value)});
  }
  auto arguments = bind_arguments(*function, std::move(values));
  if (!arguments) return arguments.error();
  NodeCaller caller(*this, tree, node, inner);
  const CallContext call_context{
      context.range, options_.now_s, options_.zone, options_.x_files_factor.value_or(0), control_, caller};
  auto result = run(*function, *std::move(arguments), call_context);
  if (!result) return result.error();
  if (Status s = check_names(*function, *result); !s) return s.error();
  control_.give_memory(bytes + caller.bytes());
  if (Status s = control_.take_memory(memory_bytes_of(*result)); !s) return s.error();
  return result;
}

}  // namespace statmill::graphite
