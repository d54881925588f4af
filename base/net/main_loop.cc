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
  std::function<void()> post_reload;
  if (reload) post_reload = [this, reload = std::move(reload)] { boost::asio::post(loop_, reload); };
  signals_.emplace(
      log_, second_after_,
      [this, stop = std::move(stop)](int number) {
        boost::asio::post(loop_, [this, stop, number] {
          log_.info("stopping", {{"signal", number == SIGINT ? "SIGINT" : "SIGTERM"}});
          service_manager::stopping();
          stop();
        });
      },
      std::move(post_reload));
  service_manager::ready();
  const LoopWatch watch(&watchdog, loop_, std::move(name));
  loop_.run();
}

}  // namespace statmill
