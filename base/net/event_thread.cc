#include "base/net/event_thread.h"

#include <cstdlib>
#include <exception>
#include <utility>

namespace statmill {

EventThread::~EventThread() {
  release();
  join();
}

void EventThread::start(Log& log, std::string name, Watchdog* watchdog) {
  thread_ = std::thread([this, &log, watchdog, name = std::move(name)] {
    const LoopWatch watch(watchdog, loop_, name);
    try {
      loop_.run();
    } catch (const std::exception& e) {
      log.error("thread failed", {{"thread", name}, {"reason", e.what()}});
      std::abort();
    }
  });
}

void EventThread::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace statmill
