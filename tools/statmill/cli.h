// The `statmill` command: finds the subcommand, runs it, and returns what to print and the exit status.
//
// Only main.cc uses the process's streams, environment and clock, so tests can call run_cli() directly.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/time_text.h"

namespace statmill {

struct Outcome {
  ExitCode code = ExitCode::kOk;
  std::string output = {};    // for standard output
  std::string messages = {};  // for standard error; run_cli() makes them visible (base/visible.h)
};

struct TerminalSize {
  int rows = 0;
  int columns = 0;
};

struct Environment {
  std::string default_server;             // URL, the default of --server
  std::string default_admin_socket = {};  // path, the default of --admin.socket
  Timestamp now;
  std::optional<TerminalSize> terminal = std::nullopt;  // if standard output is a terminal
  bool wants_color = true;                              // NO_COLOR is not set
  Zone zone = utc;                                      // of times that are read or printed
  std::string token = {};                               // for the server; empty: none
  std::string authority = {};  // PEM file with the certificates to trust for https; empty: the system's
  int input = 0;               // descriptor of standard input
  int output = 1;              // descriptor of standard output, for what is too long for Outcome::output
  // Writes at once to the terminal of messages; empty: they go to no terminal. Thread-safe.
  std::function<void(std::string_view)> show_progress = {};
};

// `arguments` does not include the program's name.
Outcome run_cli(std::span<const std::string> arguments, const Environment& environment);

}  // namespace statmill
