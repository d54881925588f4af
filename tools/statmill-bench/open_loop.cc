#include "tools/statmill-bench/open_loop.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace statmill {
namespace {

using std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::milliseconds kBeginAfter{5};  // so that all threads are connected

struct Schedule {
  const OpenLoopOptions& options;
  steady_clock::time_point begin;
  std::atomic<size_t> next{0};  // request; each thread adds, relaxed: it guards no other memory

  steady_clock::time_point due(size_t request) const {
    const std::chrono::duration<double> after(static_cast<double>(request) / options.per_s);
    return begin + std::chrono::duration_cast<steady_clock::duration>(after);
  }
};

void prefer_this_thread() {
  const sched_param lowest{.sched_priority = 1};
  // Without the right to do so the requests are sent a little later, which `late_ms` shows.
  static_cast<void>(::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &lowest));
}

Status send_requests(Schedule& schedule, OpenLoopTimes& times) {
  prefer_this_thread();
  std::optional<HttpConnection> connection;
  for (size_t n = 0;; ++n) {
    if (n % kRequestsPerConnection == 0) {
      auto opened = HttpConnection::open(schedule.options.server);
      if (!opened) return opened.error();
      connection.emplace(*std::move(opened));
    }
    const size_t request = schedule.next.fetch_add(1, std::memory_order_relaxed);
    if (request >= schedule.options.requests) return Status::ok();
    const auto due = schedule.due(request);
    std::this_thread::sleep_until(due);
    times.late_ms.push_back(Milliseconds(steady_clock::now() - due).count());
    const auto answer = connection->get(schedule.options.asked.target);
    times.answered_ms.push_back(Milliseconds(steady_clock::now() - due).count());
    if (!answer) return answer.error();
    if (Status s = schedule.options.asked.check(answer->body); !s) return s;
  }
}

}  // namespace

Result<OpenLoopTimes> run_open_loop(const OpenLoopOptions& options) {
  std::vector<OpenLoopTimes> times(options.connections);
  std::vector<Status> ends(options.connections);
  Schedule schedule{options, steady_clock::now() + kBeginAfter};
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < options.connections; ++i)
      threads.emplace_back([&, i] { ends[i] = send_requests(schedule, times[i]); });
  }
  OpenLoopTimes all;
  for (size_t i = 0; i < options.connections; ++i) {
    if (!ends[i]) return ends[i].error();
    all.answered_ms.insert(all.answered_ms.end(), times[i].answered_ms.begin(), times[i].answered_ms.end());
    all.late_ms.insert(all.late_ms.end(), times[i].late_ms.begin(), times[i].late_ms.end());
  }
  return all;
}

}  // namespace statmill
