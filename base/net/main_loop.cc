#include "base/net/main_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "base/service_manager.h"

namespace statmill {

void MainLoop::run(Watchdog& watchdog, std::string name, std::function<void()> stop,
                   std::function<void()> reload) {
  const auto work = boost::asio::make_work_guard(loop_);
  EndingSignals::Actions actions;
  actions.stop = [this, stop = std::move(stop)](int number) {
    boost::asio::post(loop_, [this, stop, number] {
      log_.info("stopping", {{"signal", number == SIGINT ? "SIGINT" : "SIGTERM"}});
      service_manager::stopping();
      stop();
    });
  };
  if (reload) actions.reload = [this, reload = std::move(reload)] { boost::asio::post(loop_, reload); };
  if (save_) actions.save = [this] { boost::asio::post(loop_, save_); };
  signals_.emplace(log_, second_after_, std::move(actions));
  service_manager::ready();
  const LoopWatch watch(&watchdog, loop_, std::move(name));
  loop_.run();
}

void MainLoop::post(std::function<void()> work) { boost::asio::post(loop_, std::move(work)); }

}  // namespace statmill
