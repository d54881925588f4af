// run_command(): runs a command line of `statmill` in this process.
#pragma once

#include <string>
#include <vector>

#include "tools/statmill/cli.h"

namespace statmill {

// Runs it at unix second 1700000000, without a terminal.
inline Outcome run_command(const std::string& server_url, const std::vector<std::string>& arguments) {
  return run_cli(arguments, {.default_server = server_url, .now = from_unix_seconds(1'700'000'000)});
}

}  // namespace statmill
