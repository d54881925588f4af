// parse_promql(): the text of a PromQL query -> a syntax tree whose types are checked.
//
// The language is that of Prometheus 2.42, with names in quotes (`{"cpu.idle"}`, `by ("a.b")`), `anchored`
// and `smoothed`, and the functions and aggregations of the table that are newer. Errors are in the words of
// Prometheus, with line and column. Pure: no clock, no socket, no thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "server/promql/ast.h"

namespace statmill::promql {

inline constexpr size_t kQueryBytesMax = size_t{64} << 10;
// Brackets, signs and right sides of `^` inside each other.
inline constexpr size_t kNestingMax = 64;
// Expressions, matchers and labels of groupings. A tree is at most as deep as this.
inline constexpr size_t kNodesMax = 1000;

// Errors: kInvalid, "1:5: parse error: ...", also for the three limits. Cost: proportional to the text.
Result<SyntaxTree> parse_promql(std::string_view text);

}  // namespace statmill::promql
