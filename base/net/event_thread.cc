#include "base/net/event_thread.h"

namespace statmill {

EventThread::~EventThread() {
  release();
  join();
}

void EventThread::start(Log& log, std::string name, Watchdog* watchdog) {
  thread_ = Thread(log, name, [this, watchdog, name] {
    const LoopWatch watch(watchdog, loop_, name);
    loop_.run();
  });
}

}  // namespace statmill
