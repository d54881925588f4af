// Prints a syntax tree as the text of a query, as Prometheus' format_query does.
//
// Parsing the printed text returns the same tree.
#pragma once

#include <string>

#include "server/promql/ast.h"

namespace statmill::promql {

// Above this many bytes, an expression is split into lines.
inline constexpr size_t kLineBytesMax = 100;

// The canonical text, in one line.
std::string print_line(const SyntaxTree& tree);
// The same; expressions of more than kLineBytesMax bytes are split into lines, two blanks further in for
// each level.
std::string print_lines(const SyntaxTree& tree);

}  // namespace statmill::promql
