// HttpWorkers: threads for slow requests, so that the event loop stays free for the others.
//
// Requests that may wait for the disk have their own threads: while the disk hangs these may all be blocked,
// but requests that need only memory are still answered.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/net/watchdog.h"
#include "server/http/router.h"

namespace statmill {

// Thread-safe. Jobs of a lane start in the order they were posted. Each connection has one request at a time,
// so at most as many jobs wait as there are connections.
class HttpWorkers {
 public:
  // Number of threads per lane.
  struct Threads {
    size_t memory = 0;
    size_t store = 0;
  };
  // The watchdog measures how long jobs of a lane wait for a thread, as lags of "NAME.memory" and
  // "NAME.store". It must outlive this object; nullptr: no watchdog.
  HttpWorkers(Threads threads, Watchdog* watchdog, const std::string& name)
      : memory_(threads.memory),
        store_(threads.store),
        memory_watch_(watchdog, threads.memory, memory_, name + ".memory"),
        store_watch_(watchdog, threads.store, store_, name + ".store") {}
  // Waits for all posted jobs. Requires: no more jobs are posted.
  ~HttpWorkers() = default;

  // Requires: the lane is kMemory or kStore and has a thread. The job must not throw.
  template <class Job>
  void post(Lane lane, Job job) {
    boost::asio::post(lane == Lane::kStore ? store_ : memory_, std::move(job));
  }

 private:
  // Registers a lane with the watchdog, unless it has no threads and so could not answer pings.
  class Watch {
   public:
    Watch(Watchdog* watchdog, size_t threads, boost::asio::thread_pool& pool, std::string name)
        : watchdog_(threads == 0 ? nullptr : watchdog) {
      if (watchdog_ != nullptr) pool_ = watchdog_->add_pool(pool.get_executor(), std::move(name));
    }
    ~Watch() {
      if (watchdog_ != nullptr) watchdog_->remove(pool_);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog* const watchdog_;
    std::shared_ptr<Watchdog::Loop> pool_;
  };

  boost::asio::thread_pool memory_;
  boost::asio::thread_pool store_;
  const Watch memory_watch_;
  const Watch store_watch_;
};

}  // namespace statmill
