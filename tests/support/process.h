// Process: runs a program under test with pipes for its output, and always ends it (by its pid).
//
// Tests wait for events (a line, an exit), never for time; each wait ends after kProcessTimeout at the
// latest. The output of the program is only read during calls; up to 1 MiB of it fits into a pipe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/sockets.h"

namespace statmill {

inline constexpr std::chrono::seconds kProcessTimeout{30};

// Checks the condition repeatedly until it is true. Returns false if that takes longer than kProcessTimeout.
// Between two checks other threads may run, and get locks that the condition needs.
template <class Condition>
bool wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

struct Command {
  std::string program;  // a path, or a name to search in PATH
  std::vector<std::string> arguments;
  // Added to our environment without settings of statmill and variables of a service manager.
  std::vector<std::pair<std::string, std::string>> environment;
};

// Use it only on the thread that created it: the kernel kills the child when that thread ends.
class Process {
 public:
  // If the program cannot be executed, the child ends with status 127 and a message on its standard error.
  // The child inherits only the standard descriptors, even if other threads create descriptors at the same
  // time; so connections that a test closes are really closed.
  explicit Process(const Command& command);
  ~Process();  // kills and reaps the child if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }

  // Returns the next line of standard error that contains `part`, without its LF; nullopt if the program
  // closes its standard error or the time is up. The next call continues after this line.
  std::optional<std::string> wait_for_line(std::string_view part,
                                           std::chrono::seconds limit = kProcessTimeout);

  // Requires: wait() has not returned a status.
  void signal(int number) const;
  // Does nothing if the program has ended.
  void signal_if_running(int number) const;

  // Returns the exit status, or the negative number of the signal that killed the program; nullopt if the
  // time is up.
  std::optional<int> wait(std::chrono::seconds limit = kProcessTimeout);

  // The complete output so far.
  const std::string& standard_output() const { return out_.read(); }
  const std::string& standard_error() const { return err_.read(); }

 private:
  struct Stream {
    Descriptor pipe;
    std::string text;

    const std::string& read();  // reads what is available, closes the pipe at its end, and returns the text
  };
  using Deadline = std::chrono::steady_clock::time_point;

  bool pump(Deadline deadline);  // waits for output or exit, and reads; returns false if the time is up
  bool reap();                   // returns whether the program has ended

  pid_t pid_ = -1;
  Descriptor pidfd_;
  mutable Stream out_;  // mutable because unread output in the pipe counts as part of it
  mutable Stream err_;
  size_t searched_ = 0;  // the bytes of err_.text that wait_for_line() has finished with
  std::optional<int> exit_;
};

// How a program ended, and its complete output.
struct Ended {
  int status = -1000;  // as from Process::wait(); -1000 if the program has not ended in time
  std::string out;
  std::string said;  // its standard error
};

// Runs a program to its end.
Ended run_program(const Command& command);

// Returns the value of `key` in a log line ("ready line=127.0.0.1:8111" and "line" give "127.0.0.1:8111"), or
// empty.
std::string log_value(std::string_view line, std::string_view key);

}  // namespace statmill
