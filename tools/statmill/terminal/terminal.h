// What the system says about the terminal of its user.
#pragma once

#include <optional>

#include "tools/statmill/cli.h"

namespace statmill {

// Returns nullopt if the descriptor is not a terminal; 24 x 80 if the terminal does not know its size.
std::optional<TerminalSize> terminal_size(int descriptor);

}  // namespace statmill
