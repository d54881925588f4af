// Admin: what an administrator may have a running server do, through the admin socket.
//
// Long jobs run on the thread that asks, one at a time; ticks, ingest and queries go on meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/health.h"
#include "server/tick/tick_thread.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// Thread-safe. Errors of all jobs: kBusy beside another one, kUnavailable when the server stops or its store
// is being mended, and what the store says.
class Admin {
 public:
  struct Services {
    std::function<Status(const TickThread::Job&)> on_tick_thread;  // TickThread::call
    RocksStore& store;                                             // this and the rest must outlive it
    const Health& health;
    Log& log;
  };
  explicit Admin(Services services) : services_(std::move(services)) {}

  struct Settled {
    uint64_t bytes_before = 0;  // of the database
    uint64_t bytes_after = 0;
  };
  // Every pending bucket goes to the store as fragments, and what the store has in memory into files.
  Result<Settled> flush();
  // And everything stored is merged, as far as it ever will be.
  Result<Settled> compact();
  // A backup of all that is durable now, and perhaps of more; `directory` is absolute. Errors also: as
  // write_backup().
  Result<BackupSummary> backup(const std::string& directory);

  // Reads the whole store (storage/rocks/scrub.h). Given up, with kUnavailable, when the store has a problem.
  Result<ScrubReport> check();

  // One tick with these changes (Ticker::change); beside any job.
  Result<ChangedSeries> change(const SeriesChanges& changes);

  // Ticker::confirm_clock; beside any job. Returns by how much the wall clock was ahead.
  Result<Duration> confirm_clock();

  // Ends the job under way, and those to come, soon.
  void stop() { stopping_ = true; }

 private:
  // Holds the place of the one job.
  class Place;

  // Does the job in that place, and tells the log.
  template <class T>
  Result<T> run(std::string_view name, const std::function<Result<T>()>& job);
  Result<Settled> settle(bool compact);

  const Services services_;
  // Set by stop(), read by jobs and by the store's compactions.
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  std::string_view job_ GUARDED_BY(mutex_);  // which one is under way; empty: none
};

}  // namespace statmill
