// See tick_thread.h.
#include "server/tick/tick_thread.h"

namespace statmill {

TickThread::TickThread(Ticker& ticker, const Clock& clock, Log& log, Duration interval,
                       std::function<void()> before_tick)
    : ticker_(ticker),
      clock_(clock),
      log_(log),
      interval_(interval),
      before_tick_(std::move(before_tick)),
      thread_([this] { run(); }) {}

TickThread::~TickThread() {
  if (thread_.joinable()) static_cast<void>(stop(Duration(0)));
}

Status TickThread::stop(Duration patience) {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  const SteadyTime deadline = clock_.steady() + patience;
  Status last = tick();
  while (!last && clock_.steady() < deadline) {
    std::this_thread::sleep_for(interval_);
    last = tick();
  }
  return last;
}

void TickThread::run() {
  SteadyTime next = clock_.steady() + interval_;
  for (;;) {
    {
      MutexLock lock(mutex_);
      while (!stopping_ && clock_.steady() < next) wake_.wait_for(mutex_, next - clock_.steady());
      if (stopping_) return;
    }
    // A tick that took longer than the interval does not make the next ones bunch up.
    next = std::max(next + interval_, clock_.steady());
    before_tick_();
    static_cast<void>(tick());  // logged, and tried again
  }
}

Status TickThread::tick() {
  const SteadyTime now = clock_.steady();
  Status done = ticker_.tick({clock_.wall(), now});
  if (done) {
    if (failures_ > 0) log_.info("the store takes ticks again", {{"failed", failures_}});
    failures_ = 0;
    return done;
  }
  ++failures_;
  if (failure_log_.admit(now) >= 0) {
    log_.error("tick failed; samples wait in memory", {{"why", done.error().message}});
  }
  return done;
}

}  // namespace statmill
