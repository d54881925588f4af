// TerminalSession: the whole terminal for a program, and back to its user as it was.
//
// The terminal is given back when the session ends, when the process is suspended, and when it dies by a
// fault or for lack of memory. Only SIGKILL leaves it as it is.
#pragma once

#include <termios.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace statmill {

// What happened while the program waited.
struct TerminalEvents {
  std::string bytes;          // typed
  bool must_repaint = false;  // the size may have changed, or the program continues after a stop
  bool must_suspend = false;  // SIGTSTP
  std::optional<int> ending;  // a signal that ends the program: SIGTERM, SIGINT, SIGHUP, SIGQUIT
  bool is_gone = false;       // the terminal was closed
};

// One at a time in a process; confined to one thread.
class TerminalSession {
 public:
  // Switches standard input and output to the session. Call it before other threads start: it blocks the
  // signals above, and the threads inherit that. Errors: kUnavailable if either is not a terminal.
  static Result<std::unique_ptr<TerminalSession>> open();
  ~TerminalSession();
  TerminalSession(const TerminalSession&) = delete;
  TerminalSession& operator=(const TerminalSession&) = delete;

  // Waits until something happens, another thread calls wake(), or the time is up.
  TerminalEvents wait(Duration timeout);
  // Ends a wait(), also a later one. Thread-safe.
  void wake() const;
  // Writes bytes to the terminal. Returns false if it is gone.
  bool write(std::string_view bytes) const;
  // Gives the terminal back, stops the process, and continues the session when the process continues.
  void suspend();

 private:
  TerminalSession() = default;
  void read_signals(TerminalEvents& events);
  void enter() const;
  void leave() const;

  Descriptor signals_;
  Descriptor wakeups_;
  sigset_t blocked_before_{};
};

}  // namespace statmill
