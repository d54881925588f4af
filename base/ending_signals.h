// Ending signals: SIGTERM and SIGINT ask a program to end; SIGHUP must not end it.
//
// A program blocks them before it starts threads, and its main thread accepts them while it runs its event
// loop. So no other thread ever runs a handler. A signal after the loop has ended stays pending: the program
// still ends with the status it has chosen.
#pragma once

#include <csignal>

namespace statmill {

// Blocks them on the calling thread and on all threads that it starts later.
void block_ending_signals();

// Accepts them on the calling thread during its lifetime. Pending ones are delivered at once.
class EndingSignalsAccepted {
 public:
  EndingSignalsAccepted();
  ~EndingSignalsAccepted();
  EndingSignalsAccepted(const EndingSignalsAccepted&) = delete;
  EndingSignalsAccepted& operator=(const EndingSignalsAccepted&) = delete;

 private:
  sigset_t before_;
};

}  // namespace statmill
