// compile(): the syntax tree of a PromQL query -> the plan that computes it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "server/promql/ast.h"
#include "server/query/plan/nodes.h"

namespace statmill::promql {

// The step of a subquery that names none: the default evaluation interval of Prometheus.
inline constexpr int64_t kDefaultSubqueryStepMs = 60'000;
inline constexpr int64_t kDefaultLookbackMs = 300'000;

struct CompileOptions {
  int64_t start_ms = 0;  // what start() and end() mean
  int64_t end_ms = 0;
  int64_t lookback_ms = kDefaultLookbackMs;
  // A range vector as the whole of the query is compiled to the vector inside, without its own offset and @.
  bool takes_range = false;
};

// The root is a vector, a scalar, or a text. Errors: kUnavailable: a function that is not computed,
// "NAME: reason"; kInvalid: a regular expression that RE2 refuses, or a range vector as the whole of the
// query, unless the options take it. Requires: the types of the tree were checked.
Result<plan::Plan> compile(const SyntaxTree& tree, const CompileOptions& options);

}  // namespace statmill::promql
