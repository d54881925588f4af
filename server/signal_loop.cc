#include "server/signal_loop.h"

#include "base/ending_signals.h"

namespace statmill {

void SignalLoop::run(Watchdog& watchdog) {
  signals_.async_wait([this](const boost::system::error_code&, int number) {
    log_.info("stopping", {{"signal", number == SIGINT ? "SIGINT" : "SIGTERM"}});
    loop_.stop();
  });
  ignore_hangup();
  const LoopWatch watch(&watchdog, loop_, "signals");
  const EndingSignalsAccepted accepted;
  loop_.run();
}

void SignalLoop::ignore_hangup() {
  hangups_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    log_.warn("SIGHUP is ignored: settings are read only at the start");
    ignore_hangup();
  });
}

}  // namespace statmill
