// The `statmill` command: finds the subcommand, runs it, and gives back what to print and how to exit.
//
// Nothing here touches the process's own streams, environment or clock: main.cc does, tests do not need to.
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

enum class ExitStatus : int {
  kOk = 0,
  kFailed = 1,       // the server answered with an error, or not as expected
  kUsage = 2,        // the command line makes no sense
  kRefused = 4,      // the server took no or not every sample
  kUnreachable = 5,  // no server there, or none that answers in time
};

struct Outcome {
  ExitStatus code = ExitStatus::kOk;
  std::string data = {};  // for standard output
  std::string talk = {};  // for standard error
};

struct Environment {
  std::string default_server;             // URL when --server is not given
  std::string default_admin_socket = {};  // path when --admin.socket is not given
  Timestamp now;
};

// `arguments` without the program's name.
Outcome run_cli(std::span<const std::string> arguments, const Environment& environment);

}  // namespace statmill
