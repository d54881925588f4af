// Admin: the operations that the admin socket offers on a running server.
//
// Long jobs run on the caller's thread, one at a time; ticks, ingest and queries continue meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/long_job.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/admin/snapshots.h"
#include "server/health.h"
#include "server/tick/tick_thread.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// Thread-safe. Errors of all operations: kBusy while another job runs, kUnavailable while the server stops or
// its store is being reopened, and the store's own errors.
class Admin {
 public:
  struct Services {
    std::function<Status(const TickThread::Job&)> on_tick_thread;  // TickThread::call
    RocksStore& store;                                             // this and the rest must outlive it
    const Snapshots& snapshots;
    const Health& health;
    Log& log;
  };
  explicit Admin(Services services) : services_(std::move(services)) {}

  // The size of the database on disk, before and after a job.
  struct Sizes {
    uint64_t bytes_before = 0;
    uint64_t bytes_after = 0;
  };
  // Flushes all pending buckets to the store, and the store's memory to files.
  Result<Sizes> flush();
  // Does what flush() does, then compacts the whole store.
  Result<Sizes> compact();
  // Reads and checks the whole store (storage/rocks/scrub.h). Stops with kUnavailable when the store has a
  // problem.
  Result<ScrubReport> check();

  // Makes the changes in one tick (Ticker::change). May run at the same time as a job.
  Result<ChangedSeries> change(const SeriesChanges& changes);

  // Confirms that the wall clock is right (Ticker::confirm_clock). May run at the same time as a job. Returns
  // how far the wall clock was ahead of the time that retention went by.
  Result<Duration> confirm_clock();

  struct RunningJob {
    std::string_view name;  // "flush", "flush --compact", "check" or "backup"
    LongJob::Progress progress;
  };
  // The job that this object runs, or else the backup of a client. Returns nullopt if none runs. Never waits
  // for one.
  std::optional<RunningJob> running_job() const;

  // Cancels the running job and refuses new ones.
  void stop() { stopping_ = true; }

 private:
  // Held by the one job that runs.
  class JobSlot;

  // Runs the job if no other runs, and logs it.
  template <class T>
  Result<T> run(std::string_view name, LongJob& job, const std::function<Result<T>()>& body);
  Result<Sizes> flush_store(bool compact, LongJob& job);

  const Services services_;
  // Set by stop(), read by jobs and by the store's compactions.
  std::atomic<bool> stopping_{false};
  mutable Mutex mutex_;
  std::string_view job_name_ GUARDED_BY(mutex_);     // the running job; empty: none
  const LongJob* job_ GUARDED_BY(mutex_) = nullptr;  // it lives on the stack of its caller
};

}  // namespace statmill
