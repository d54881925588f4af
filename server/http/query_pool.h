// QueryPool: the threads that run queries, apart from those of the sockets and of ingest.
//
// Small and heavy queries have threads of their own, so a heavy query never holds a small one, even with one
// thread of each; the kernel shares the CPU between them (nice 5 and 10, ingest has 0). Every query starts
// among the small ones, and moves if it turns out to be heavy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/http/query_options.h"

namespace statmill {

enum class QueryLane : uint8_t { kSmall, kHeavy };
inline constexpr size_t kQueryLaneCount = 2;

// One job of the pool. The pool destroys it on the thread that ran it.
class QueryJob {
 public:
  virtual ~QueryJob() = default;
  virtual void run(QueryLane lane) = 0;  // must not throw
};

// Thread-safe.
class QueryPool {
 public:
  explicit QueryPool(const QueryPoolOptions& options);
  // Waits for the running jobs. Requires: no job waits, and none is posted any more.
  ~QueryPool();
  QueryPool(const QueryPool&) = delete;
  QueryPool& operator=(const QueryPool&) = delete;

  // Runs the job when a thread is free; jobs of a lane start in order. Returns false if too many wait.
  bool post(QueryLane lane, std::shared_ptr<QueryJob> job);
  // Returns true if the job was waiting; it is not run then.
  bool withdraw(const QueryJob* job);
  // While a job waits for its client, another one may use its thread's place. Called by the thread of the
  // job, with true before it waits, and with false after.
  void wait_for_client(QueryLane lane, bool begins);

  const QueryPoolOptions& options() const { return options_; }
  size_t running() const;
  size_t waiting() const;

 private:
  // Threads of one lane beyond the number that may work at the same time: places of jobs that wait for their
  // clients.
  static constexpr size_t kSpareThreads = 16;

  struct Line {
    std::deque<std::shared_ptr<QueryJob>> jobs;
    size_t working = 0;  // threads that run a job, except those that wait for a client
    size_t running = 0;  // threads that run a job
    size_t idle = 0;     // threads without a job
    std::vector<std::thread> threads;
  };

  Line& line(QueryLane lane) REQUIRES(mutex_) { return lines_[static_cast<size_t>(lane)]; }
  void add_thread_if_needed(QueryLane lane) REQUIRES(mutex_);
  void work(QueryLane lane);

  const QueryPoolOptions options_;
  const size_t threads_;  // per lane: how many may work at the same time
  mutable Mutex mutex_;
  Condition changed_;
  std::array<Line, kQueryLaneCount> lines_ GUARDED_BY(mutex_);
  bool is_ending_ GUARDED_BY(mutex_) = false;
};

}  // namespace statmill
