#include "base/ending_signals.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/exit_code.h"
#include "base/journal_stream.h"

namespace statmill {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&signals, number);
  return signals;
}

// Waits for nothing: what keeps the program from stopping may be the reader of its standard error.
[[noreturn]] void end_at_once(int number) {
  const std::string line = std::string(is_journal_stream(STDERR_FILENO) ? "<3>" : "") +
                           program_invocation_short_name + ": second " +
                           (number == SIGINT ? "SIGINT" : "SIGTERM") +
                           ": ends at once; what is not on disk yet is lost\n";
  pollfd standard_error{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&standard_error, 1, 0) == 1) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }
  ::_exit(static_cast<int>(ExitCode::kFailed));
}

}  // namespace

void block_ending_signals() {
  const sigset_t signals = ending_signals();
  SM_CHECK(::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
}

EndingSignals::EndingSignals(Log& log, Duration second_after, Actions actions)
    : log_(log),
      second_after_(second_after),
      actions_(std::move(actions)),
      thread_(log, "ending signals", [this] { receive(); }) {}

EndingSignals::~EndingSignals() {
  is_over_ = true;
  thread_.signal(SIGHUP);
}

void EndingSignals::receive() {
  const sigset_t signals = ending_signals();
  std::optional<SteadyTime> first;
  while (true) {
    int number = 0;
    SM_CHECK(::sigwait(&signals, &number) == 0);
    if (is_over_) return;
    const SteadyTime now = SystemClock().steady();
    if (number == SIGHUP) {
      if (actions_.reload) {
        actions_.reload();
      } else {
        log_.warn("SIGHUP is ignored: settings are read only at the start");
      }
    } else if (number == SIGUSR2) {
      if (actions_.save) {
        actions_.save();
      } else {
        log_.warn("SIGUSR2 is ignored: nothing is kept for it");
      }
    } else if (!first) {
      first = now;
      actions_.stop(number);
    } else if (now - *first >= second_after_) {
      end_at_once(number);
    }
  }
}

}  // namespace statmill
