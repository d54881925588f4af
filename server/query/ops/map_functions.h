// Functions of one value, and operators between two.
#pragma once

#include <optional>
#include <span>

#include "server/query/plan/nodes.h"

namespace statmill {

// `parameters` are those of the node at this point. nullopt: clamp() without any value between its bounds.
// Requires: not kTimestamp.
std::optional<double> map_value(plan::MapFunction function, double value, std::span<const double> parameters);

// Requires: arithmetic.
double arithmetic(plan::Operator op, double left, double right);
// Requires: a comparison.
bool compare(plan::Operator op, double left, double right);

}  // namespace statmill
