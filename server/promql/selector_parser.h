// The parts of a query that hold no expressions: matchers in braces, lists of labels, durations, timestamps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/promql/ast.h"
#include "server/promql/token_stream.h"

namespace statmill::promql {

// Timestamps of `@` lie within this: as doubles they are exact.
inline constexpr int64_t kTimestampMax_ms = int64_t{1} << 53;

// Each returns nullopt after an error, which the stream has.

// {a="b", "c.d"!~"e"}. Requires: the next token is the left brace.
std::optional<std::vector<Matcher>> parse_matchers(TokenStream& tokens);
// (a, "b.c"), after by, without, on, ignoring, group_left, group_right.
std::optional<std::vector<std::string>> parse_labels(TokenStream& tokens);
// A duration; `context` and `expected` are for the error if there is none.
std::optional<Duration> parse_duration_token(TokenStream& tokens, std::string_view context,
                                             std::string_view expected);
// [5m] or [5m:1m]; nullopt of the step: it is no subquery. Requires: the next token is the left bracket.
struct RangeText {
  Duration range{0};
  std::optional<Duration> step;  // 0: the default
};
std::optional<RangeText> parse_range(TokenStream& tokens);
// The offset and its sign, after `offset`.
std::optional<Duration> parse_offset(TokenStream& tokens);
// The time, start() or end(), after `@`. `subject` is where the error of a time out of bounds points to.
std::optional<TimeShift> parse_at(TokenStream& tokens, TextRange subject);

}  // namespace statmill::promql
