// run_instead: other programs of statmill, which a command runs in its place.
#pragma once

#include <string>
#include <vector>

#include "tools/statmill/cli.h"

namespace statmill {

// Runs `program`, which is next to this one or in the PATH, in place of this process, so that signals and the
// terminal are its own. Returns only if it cannot be run; the message then has `what`, such as "which
// records".
Outcome run_instead(const std::string& program, std::vector<std::string> arguments, const std::string& what);

}  // namespace statmill
