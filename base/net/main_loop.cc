#include "base/net/main_loop.h"

#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <utility>

#include "base/ending_signals.h"
#include "base/service_manager.h"

namespace statmill {
namespace {

void ignore_hangups(boost::asio::signal_set& hangups, Log& log) {
  hangups.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    log.warn("SIGHUP is ignored: settings are read only at the start");
    ignore_hangups(hangups, log);
  });
}

}  // namespace

void MainLoop::run(Watchdog& watchdog, std::string name, const std::function<void()>& stop) {
  boost::asio::signal_set endings(loop_, SIGINT, SIGTERM);
  boost::asio::signal_set hangups(loop_, SIGHUP);
  endings.async_wait([&](const boost::system::error_code& error, int number) {
    if (error) return;
    log_.info("stopping", {{"signal", number == SIGINT ? "SIGINT" : "SIGTERM"}});
    service_manager::stopping();
    stop();
  });
  ignore_hangups(hangups, log_);
  service_manager::ready();
  const LoopWatch watch(&watchdog, loop_, std::move(name));
  const EndingSignalsAccepted accepted;
  loop_.run();
}

}  // namespace statmill
