// The `statmill` command: finds the subcommand, runs it, and returns what to print and the exit status.
//
// Only main.cc uses the process's streams, environment and clock, so tests can call run_cli() directly.
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

enum class ExitStatus : int {
  kOk = 0,
  kFailed = 1,       // the server returned an error or an unexpected answer
  kUsage = 2,        // the command line is not valid
  kRefused = 4,      // the server did not accept all samples
  kUnreachable = 5,  // the server cannot be reached or does not answer in time
};

struct Outcome {
  ExitStatus code = ExitStatus::kOk;
  std::string output = {};    // for standard output
  std::string messages = {};  // for standard error
};

struct Environment {
  std::string default_server;             // URL, the default of --server
  std::string default_admin_socket = {};  // path, the default of --admin.socket
  Timestamp now;
};

// `arguments` does not include the program's name.
Outcome run_cli(std::span<const std::string> arguments, const Environment& environment);

}  // namespace statmill
