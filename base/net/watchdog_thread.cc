#include "base/net/watchdog_thread.h"

#include "base/service_manager.h"

namespace statmill {
namespace {

// How many signs of life to send per interval in which one is required, so that one may be late.
constexpr int kAlivePerInterval = 3;

}  // namespace

WatchdogThread::WatchdogThread(Watchdog& watchdog, Log& log, Duration look)
    : watchdog_(watchdog),
      look_(look),
      alive_interval_(service_manager::alive_interval()),
      thread_(log, "watchdog", [this] { run(); }) {}

WatchdogThread::~WatchdogThread() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void WatchdogThread::run() {
  while (true) {
    watchdog_.look();
    notify_service_manager(std::chrono::steady_clock::now());
    MutexLock lock(mutex_);
    if (!stopping_) wake_.wait_for(mutex_, look_);
    if (stopping_) return;
  }
}

void WatchdogThread::notify_service_manager(SteadyTime now) {
  std::string parts;
  for (const auto& [part, text] : watchdog_.problems()) parts += " " + part;
  if (parts != reported_) service_manager::status(parts.empty() ? "" : "hangs:" + parts);
  reported_ = std::move(parts);
  if (!alive_interval_ || !watchdog_.makes_progress() || now < next_alive_) return;
  next_alive_ = now + *alive_interval_ / kAlivePerInterval;
  service_manager::alive();
}

}  // namespace statmill
