// Ending signals: SIGTERM and SIGINT ask a program to end; SIGHUP asks it to read its settings again, and
// SIGUSR2 to write what it remembers of the past to a file. A program that does neither ignores these two.
//
// A program blocks them before it starts threads, and one thread receives them from then on until the program
// has stopped. So they interrupt no other thread, and reach this one even while all others wait for a disk. A
// signal that comes earlier or later stays pending: the program still ends with the status it has chosen.
#pragma once

#include <atomic>
#include <functional>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

namespace statmill {

// Blocks them on the calling thread and on all threads that it starts later.
void block_ending_signals();

// Terminals and service managers may send a signal twice. A later one is from an operator who waits no more.
inline constexpr Duration kSecondSignalAfter{1000};

// Receives the ending signals on a thread of its own during its lifetime. Pending ones come at once.
//
// The first SIGTERM or SIGINT calls `stop` on that thread, with its number. One that comes `second_after` or
// more after that ends the process at once with status 1 and a line on standard error; others have no effect.
// SIGHUP calls `reload` on that thread, and SIGUSR2 `save`; without one, the signal is logged and ignored.
// Requires: block_ending_signals() was called before any thread started.
class EndingSignals {
 public:
  struct Actions {
    std::function<void(int)> stop;
    std::function<void()> reload{};  // may be empty
    std::function<void()> save{};    // may be empty
  };
  // `log` must outlive it.
  EndingSignals(Log& log, Duration second_after, Actions actions);
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  void receive();

  Log& log_;
  const Duration second_after_;
  const Actions actions_;
  std::atomic<bool> is_over_{false};  // set by the destructor before it wakes the thread, read by the thread
  Thread thread_;                     // last, because it uses all members above
};

}  // namespace statmill
