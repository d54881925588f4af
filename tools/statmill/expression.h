// The option --expr of commands that take series by name or a PromQL expression.
#pragma once

#include <string_view>

#include "tools/statmill/cli.h"
#include "tools/statmill/client.h"

namespace statmill {

inline constexpr const char* kExpressionText =
    "a PromQL expression instead of names, such as 'sum by (host) (rate(hits[5m]))'";

// Returns the exit code and message for an answer to an expression with a status other than 200, as
// query_outcome(). If the message has a position, the line of the expression follows with a mark below it.
Outcome expression_outcome(const HttpAnswer& answer, std::string_view expression);

}  // namespace statmill
