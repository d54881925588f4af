#include "server/graphite/passing.h"

#include <algorithm>

namespace statmill::graphite {
namespace {

using Kind = Summary::Kind;
using Node = SyntaxTree::Node;

// Returns the literal that an argument is, by its place or its name; nullptr if it is missing.
const Node* argument(const SyntaxTree& tree, const Node& call, size_t place, std::string_view name) {
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const SyntaxTree::Argument& one = call.arguments[i];
    if (one.name.empty() ? i == place : one.name == name) return &tree.at(one.value);
  }
  return nullptr;
}

std::optional<Summary> summary_of(const SyntaxTree& tree, const Node& node);

// Returns the summary that all series among the arguments ask for; nullopt if they differ.
std::optional<Summary> common_summary(const SyntaxTree& tree, const Node& call) {
  std::optional<Summary> common;
  for (const SyntaxTree::Argument& one : call.arguments) {
    const Node& node = tree.at(one.value);
    if (node.kind != SyntaxTree::Kind::kPath && node.kind != SyntaxTree::Kind::kCall) continue;
    const auto summary = summary_of(tree, node);
    if (!summary || (common && *common != *summary)) return std::nullopt;
    common = summary;
  }
  return common;
}

std::optional<Summary> consolidation_of(const SyntaxTree& tree, const Node& call, Passing passing) {
  if (passing == Passing::kCumulative) return Summary{Kind::kSum};
  const Node* name = argument(tree, call, 1, "consolidationFunc");
  return name == nullptr ? std::nullopt : parse_consolidation(name->text);
}

bool is_consolidation(Passing passing) {
  return passing == Passing::kConsolidate || passing == Passing::kCumulative;
}

// Returns the summary that the result of a node has of its bands if none above says another.
std::optional<Summary> summary_of(const SyntaxTree& tree, const Node& node) {
  const Function* function = node.kind == SyntaxTree::Kind::kCall ? find_function(node.text) : nullptr;
  if (function == nullptr || function->passing == Passing::kNothing || function->passing == Passing::kMerge)
    return Summary{};
  if (is_consolidation(function->passing)) return consolidation_of(tree, node, function->passing);
  return common_summary(tree, node);
}

// Returns true if the function may be computed of these summaries of bands.
bool passes(const SyntaxTree& tree, const Node& call, const Function& function, const Summary& summary) {
  switch (function.passing) {
    case Passing::kNothing:
    case Passing::kMerge:
      return false;
    case Passing::kAll:
    case Passing::kConsolidate:
    case Passing::kCumulative:
      return true;
    case Passing::kFactor: {
      const Node* factor = argument(tree, call, 1, "factor");
      return summary.kind != Kind::kCount && factor != nullptr && factor->number > 0;
    }
    case Passing::kOffset:
      return summary.kind != Kind::kCount && summary.kind != Kind::kSum && summary.kind != Kind::kStddev;
    case Passing::kSum:
      return combines(Summary{Kind::kSum}, summary);
    case Passing::kAverage:
      return combines(Summary{Kind::kAverage}, summary);
    case Passing::kMin:
      return combines(Summary{Kind::kMin}, summary);
    case Passing::kMax:
      return combines(Summary{Kind::kMax}, summary);
  }
  return false;
}

}  // namespace

bool is_read_of_buckets(const Summary& summary) {
  switch (summary.kind) {
    case Kind::kAverage:
    case Kind::kSum:
    case Kind::kMin:
    case Kind::kMax:
    case Kind::kCount:
    case Kind::kStddev:
    case Kind::kPercentile:
    case Kind::kPool:
      return true;
    default:
      return false;
  }
}

Summary after_reading(const Summary& read) {
  switch (read.kind) {
    case Kind::kCount:
      return {Kind::kSum};
    case Kind::kStddev:
    case Kind::kPercentile:
    case Kind::kPool:
      return {};
    default:
      return read;
  }
}

bool combines(const Summary& by, const Summary& bands) {
  if (by.kind == Kind::kSum && bands.kind == Kind::kAverage) return true;
  const bool is_own =
      by.kind == Kind::kSum || by.kind == Kind::kAverage || by.kind == Kind::kMin || by.kind == Kind::kMax;
  return is_own && by.kind == bands.kind;
}

std::optional<Summary> merging_of(const SyntaxTree& tree, const Node& call, const Function& function) {
  if (function.passing != Passing::kMerge) return std::nullopt;
  const auto parameters = parameters_of(function.signature);
  const auto at = std::ranges::find_if(parameters, [](const FunctionParameter& parameter) {
    return parameter.type == ParameterType::kAggFunc || parameter.type == ParameterType::kAggOrSeriesFunc;
  });
  const Node* name = argument(tree, call, static_cast<size_t>(at - parameters.begin()), at->name);
  const auto summary = name == nullptr ? std::nullopt : parse_merging(name->text);
  return summary && summary->is_of_samples() ? summary : std::nullopt;
}

bool keeps_buckets(const Function& function) {
  return function.passing == Passing::kAll || is_consolidation(function.passing);
}

std::optional<std::optional<Summary>> summary_below(const SyntaxTree& tree, const Node& call,
                                                    const Function& function,
                                                    const std::optional<Summary>& asked) {
  if (function.passing == Passing::kAll) return asked;
  if (is_consolidation(function.passing)) {
    const auto own = asked ? asked : consolidation_of(tree, call, function.passing);
    return own ? std::optional(own) : std::nullopt;
  }
  if (function.passing == Passing::kNothing || function.passing == Passing::kMerge) return std::nullopt;
  const auto summary = asked ? asked : common_summary(tree, call);
  if (!summary || !passes(tree, call, function, *summary)) return std::nullopt;
  return asked;
}

}  // namespace statmill::graphite
