#include "server/tick/tick_thread.h"

#include <thread>
#include <utility>

namespace statmill {
namespace {

Error stopping_error() { return {ErrorCode::kUnavailable, "the server is stopping"}; }

}  // namespace

TickThread::TickThread(Ticker& ticker, const Clock& clock, Log& log, TaskTime& time, Duration interval,
                       std::function<void()> before_tick)
    : ticker_(ticker),
      clock_(clock),
      log_(log),
      time_(time),
      interval_(interval),
      before_tick_(std::move(before_tick)),
      thread_(log, "tick", [this] { run(); }) {}

TickThread::~TickThread() {
  if (thread_.is_started()) static_cast<void>(stop(Duration(0)));
}

Status TickThread::stop(Duration patience) {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
  const SteadyTime deadline = clock_.steady() + patience;
  const TaskTime::Span span(time_, clock_.steady());
  Status last = tick();
  while (!last && clock_.steady() < deadline) {
    std::this_thread::sleep_for(interval_);
    last = tick();
  }
  return last;
}

Status TickThread::call(const Job& job) {
  Call call{job, Status::ok()};
  MutexLock lock(mutex_);
  if (stopping_) return stopping_error();
  calls_.push_back(&call);
  wake_.notify_all();
  while (!call.done) call_ended_.wait(mutex_);
  return call.result;
}

void TickThread::run() {
  SteadyTime next = clock_.steady() + interval_;
  while (wait_until(next)) {
    for (Call* call : pop_calls()) end(*call, run(call->job));
    if (clock_.steady() < next) continue;
    // After a tick that was longer than the interval, the missed ticks are not made up for.
    next = std::max(next + interval_, clock_.steady());
    const TaskTime::Span span(time_, clock_.steady());
    {
      const Running running("updating metrics");
      before_tick_();
    }
    static_cast<void>(tick());  // logs an error itself; the next tick retries
    const Running running("updating the index of names");
    ticker_.update_index();
  }
  for (Call* call : pop_calls()) end(*call, stopping_error());
}

Status TickThread::run(const Job& job) {
  const TickTime now = TickTime::of(clock_);
  const TaskTime::Span span(time_, now.steady);
  const Running running("an administrator's job");
  return job(ticker_, now);
}

// Waits until `time`, or until a call is waiting. Returns false if the thread must stop.
bool TickThread::wait_until(SteadyTime time) {
  MutexLock lock(mutex_);
  while (!stopping_ && calls_.empty() && clock_.steady() < time)
    wake_.wait_for(mutex_, time - clock_.steady());
  return !stopping_;
}

std::vector<TickThread::Call*> TickThread::pop_calls() {
  MutexLock lock(mutex_);
  return std::exchange(calls_, {});
}

// The caller may destroy `call` as soon as the lock is released.
void TickThread::end(Call& call, Status result) {
  MutexLock lock(mutex_);
  call.result = std::move(result);
  call.done = true;
  call_ended_.notify_all();
}

Status TickThread::tick() {
  const Running running("preparing the tick");
  const TickTime time = TickTime::of(clock_);
  const SteadyTime now = time.steady;
  Status done = ticker_.tick(time);
  if (done) {
    if (failures_ > 0) log_.info("the store accepts ticks again", {{"failed", failures_}});
    failures_ = 0;
    return done;
  }
  ++failures_;
  if (failure_log_.admit(now) >= 0) {
    log_.error("tick failed; samples wait in memory", {{"reason", done.error().message}});
  }
  return done;
}

}  // namespace statmill
