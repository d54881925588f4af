#include "base/ending_signals.h"

#include <initializer_list>

#include "base/check.h"

namespace statmill {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

}  // namespace

void block_ending_signals() {
  const sigset_t signals = ending_signals();
  SM_CHECK(::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

EndingSignalsAccepted::EndingSignalsAccepted() {
  const sigset_t signals = ending_signals();
  SM_CHECK(::pthread_sigmask(SIG_UNBLOCK, &signals, &before_) == 0);
}

EndingSignalsAccepted::~EndingSignalsAccepted() {
  SM_CHECK(::pthread_sigmask(SIG_SETMASK, &before_, nullptr) == 0);
}

}  // namespace statmill
