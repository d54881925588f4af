// Writes a syntax tree as the JSON of Prometheus' parse_query.
#pragma once

#include <string>

#include "server/promql/ast.h"

namespace statmill::promql {

// {"type":"unaryExpr","op":"-","expr":{"type":"vectorSelector",...}}. Durations and times are milliseconds.
void append_tree_json(std::string& out, const SyntaxTree& tree);

}  // namespace statmill::promql
