// What the system says about the terminal and the zone of its user.
#pragma once

#include <optional>

#include "tools/statmill/chart/axis.h"
#include "tools/statmill/cli.h"

namespace statmill {

// Returns nullopt if the descriptor is not a terminal; 24 x 80 if the terminal does not know its size.
std::optional<TerminalSize> terminal_size(int descriptor);

// Returns the zone of the environment's TZ, or of /etc/localtime.
Zone system_zone();

}  // namespace statmill
