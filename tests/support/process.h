// Process: a program under test, started with pipes on its output and ended by its pid whatever happens.
//
// Waits are for events (a line, an exit), never for time; each gives up after kProcessTimeout. A Process
// reads its child's output only when it is called: up to 1 MiB of it may lie unread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/sockets.h"

namespace statmill {

inline constexpr std::chrono::seconds kProcessTimeout{30};

// Asks again and again until the condition holds. Returns false if it does not within kProcessTimeout.
template <class Condition>
bool wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

struct Command {
  std::string program;  // path, or a name found in PATH
  std::vector<std::string> arguments;
  // Added to ours, of which no setting of statmill and nothing of a service manager is handed on.
  std::vector<std::pair<std::string, std::string>> environment;
};

// Confined to the thread that made it: the kernel kills the child when that thread ends.
class Process {
 public:
  // A program that cannot be run ends with status 127 and says why on its standard error. Of our descriptors
  // it gets none but its standard ones, also of those that another thread makes at this moment: a connection
  // that we close is closed.
  explicit Process(const Command& command);
  ~Process();  // kills and reaps what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }

  // The next line of standard error that contains `part`, without its LF; none when the program closes its
  // standard error or the time is up. Lines are looked at once: the next call goes on behind this one.
  std::optional<std::string> wait_for_line(std::string_view part,
                                           std::chrono::seconds limit = kProcessTimeout);

  // Requires: not yet waited for.
  void signal(int number) const;
  // The same of one that may have ended; then nothing is done.
  void signal_if_running(int number) const;

  // How it ended: the exit status, or minus the number of the signal that killed it. None when the time is
  // up.
  std::optional<int> wait(std::chrono::seconds limit = kProcessTimeout);

  // All that it has printed so far.
  const std::string& standard_output() const { return out_.read(); }
  const std::string& standard_error() const { return err_.read(); }

 private:
  struct Stream {
    Descriptor pipe;
    std::string text;

    const std::string& read();  // what is there; closes the pipe at its end. The text
  };
  using Deadline = std::chrono::steady_clock::time_point;

  bool pump(Deadline deadline);  // waits for output or exit and reads; false when the time is up
  bool reap();                   // whether it has ended

  pid_t pid_ = -1;
  Descriptor pidfd_;
  mutable Stream out_;  // what lies in the pipe belongs to it, read or not
  mutable Stream err_;
  size_t looked_at_ = 0;  // bytes of err_.text that wait_for_line() is done with
  std::optional<int> exit_;
};

// How a program ended, and all that it printed.
struct Ended {
  int status = -1000;  // as Process::wait() says; this: it has not ended in time
  std::string out;
  std::string said;  // on standard error
};

// Runs a program to its end.
Ended run_program(const Command& command);

// The value of `key` in a log line ("ready line=127.0.0.1:8111" and "line" give "127.0.0.1:8111"), or empty.
std::string log_value(std::string_view line, std::string_view key);

}  // namespace statmill
