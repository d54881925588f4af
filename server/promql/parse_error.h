// ParseError: what is wrong with a query, and where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/promql/ast.h"

namespace statmill::promql {

struct ParseError {
  uint32_t at = 0;  // a byte of the query's text, or its end
  std::string message;

  // "1:5: parse error: ...": the line, and the byte in the line, both from 1.
  std::string text(std::string_view query) const;
};

// Either a value or a ParseError: the Result of the parser's parts.
using ParseStatus = std::optional<ParseError>;

}  // namespace statmill::promql
