// Checks a regular expression before anything compiles it: its brackets, repetitions and escapes must be
// complete. Says also whether it can match the empty text.
//
// The syntax is RE2's. An expression that passes may still be refused when it is compiled, for a range of
// characters that is out of order, or for its size.
#pragma once

#include <string_view>

#include "base/result.h"

namespace statmill::promql {

// Returns true if the expression, anchored at both ends, matches the empty text. Errors: kInvalid in the
// words of Go's library. Cost: one pass, without recursion.
Result<bool> matches_empty(std::string_view expression);

}  // namespace statmill::promql
