// Ending signals: SIGTERM and SIGINT ask a program to end, and SIGHUP must not end it.
//
// A program blocks them before it starts a thread, and its main thread accepts them while it runs its event
// loop. So no other thread ever runs a handler, and a signal that comes after the loop has ended stays
// pending: the program still ends with the status that it meant to end with.
#pragma once

#include <csignal>

namespace statmill {

// Blocks them on the calling thread, and on all threads that it starts from then on.
void block_ending_signals();

// Accepts them on the calling thread for as long as it lives. Those that came before are delivered at once.
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
