// The end of `statmilld --check-config`.
#pragma once

#include <optional>

#include "base/exit_code.h"
#include "server/config.h"

namespace statmill {

// Reads the files that the settings name, as a start does: certificates, keys and tokens. Prints that all is
// valid, or returns a fault with a line for each file that is not. It opens no port and no data directory.
std::optional<Fault> check_config(const ServerConfig& config);

}  // namespace statmill
