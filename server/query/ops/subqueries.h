// Functions of the points of an expression in a window before each point of a query.
#pragma once

#include <vector>

#include "base/result.h"
#include "server/query/plan/nodes.h"
#include "server/query/query_control.h"
#include "server/query/series_source.h"

namespace statmill {

// The points at which the expression is evaluated: all multiples of the step in the windows (T - range, T] of
// `grid`. Returns nullopt if there are none.
std::optional<Grid> subquery_grid(const plan::Subquery& node, const Grid& grid);

// A subquery whose expression was evaluated at the points of `inner`. The references must outlive it.
struct SubqueryPoints {
  const plan::Subquery& node;
  const Grid& grid;
  const Grid& inner;
  const std::vector<Numbers>& parameters;  // a column for each of the node's
};

// Computes the function of one series of the expression. Errors: the control's reason to stop. Cost: linear
// in the points of all windows, which are many more than those of `inner` if windows overlap.
Result<SeriesValues> subquery_values(const SubqueryPoints& of, const SeriesValues& series,
                                     const QueryControl& control);

// Returns whether the function can be computed of histograms: those that only count them can.
bool takes_histograms(LeafFunction function);

}  // namespace statmill
