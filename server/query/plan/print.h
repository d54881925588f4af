// The text of a plan, for `explain=1` and for tests.
#pragma once

#include <string>

#include "server/query/plan/nodes.h"

namespace statmill {

// One node per line, each below the node that reads it and two blanks further in:
//   group sum by (host)
//     rate {__name__="x"} [300s]
std::string print_plan(const plan::Plan& plan);

}  // namespace statmill
