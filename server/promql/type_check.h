// The type check of a parsed query, in the order and the words of Prometheus.
#pragma once

#include <optional>

#include "server/promql/ast.h"
#include "server/promql/parse_error.h"

namespace statmill::promql {

// Sets the type of every node. Removes `matching` where a side is not a vector, and makes set operators
// many-to-many. Returns the first error. Requires: a whole tree.
ParseStatus check_types(SyntaxTree& tree);

}  // namespace statmill::promql
