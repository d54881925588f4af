#include "agent/collectors/background_work.h"

#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/thread_cpu.h"

namespace statmill {

BackgroundWork::BackgroundWork(Log& log, std::string name, std::function<void()> work)
    : log_(log), name_(std::move(name)), work_(std::move(work)) {}

BackgroundWork::~BackgroundWork() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
}

void BackgroundWork::begin() {
  {
    const MutexLock lock(mutex_);
    SM_CHECK(!is_under_way_);
    is_under_way_ = true;
  }
  changed_.notify_all();
  if (!thread_.is_started()) thread_ = Thread(log_, name_, [this] { run(); });
}

bool BackgroundWork::wait(Duration patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  const MutexLock lock(mutex_);
  while (is_under_way_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    changed_.wait_for(mutex_, left);
  }
  return true;
}

void BackgroundWork::run() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (!is_under_way_ && !is_ending_) changed_.wait(mutex_);
      if (is_ending_) return;
    }
    const uint64_t begin_ns = thread_cpu_ns();
    work_();
    cpu_ns_.fetch_add(thread_cpu_ns() - begin_ns, std::memory_order_relaxed);
    {
      const MutexLock lock(mutex_);
      is_under_way_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace statmill
