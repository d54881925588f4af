// Functions of the points of an expression in a window before each point of a query.
#pragma once

#include "server/query/plan/nodes.h"
#include "server/query/series_source.h"

namespace statmill {

// The points at which the expression is evaluated: all multiples of the step in the windows (T - range, T] of
// `grid`. Returns nullopt if there are none.
std::optional<Grid> subquery_grid(const plan::Subquery& node, const Grid& grid);

// Computes the function of one series of the expression. `parameters` has a column for each of the node's.
// Cost: linear in the points of all windows.
SeriesValues subquery_values(const plan::Subquery& node, const Grid& grid, const Grid& inner,
                             const std::vector<Numbers>& parameters, const SeriesValues& series);

// Returns whether the function can be computed of histograms: those that only count them can.
bool takes_histograms(LeafFunction function);

}  // namespace statmill
