// A range vector as the whole of an instant query: `x[5m]` has the samples of five minutes.
//
// It is the vector inside, evaluated at a point for each sample. The samples of a selector are the values of
// the present slots that begin in the window, each at the beginning of its slot; those of a subquery are the
// values at the multiples of its step.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "server/promql/ast.h"
#include "server/promql/compile.h"
#include "server/query/numbers.h"
#include "storage/tiers.h"

namespace statmill {

struct RangeVector {
  plan::Plan plan;  // of the vector inside
  Grid points;      // where it is evaluated
  Grid times;       // of the samples, one per point
};

// Slots are those of the finest tier that still has the begin of the window. Returns nullopt if the window
// has no point. Errors: those of compile(). Requires: the type of the tree's root is a matrix, the options
// have one time.
Result<std::optional<RangeVector>> compile_range_vector(const promql::SyntaxTree& tree,
                                                        const promql::CompileOptions& options,
                                                        const Tiers& tiers, Timestamp now);

}  // namespace statmill
