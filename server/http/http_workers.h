// HttpWorkers: threads for requests that take long, so that the event loop answers the others meanwhile.
//
// What may wait for the disk has threads of its own: while the disk hangs they may all be held, and what lies
// in memory is still answered.
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

// Thread-safe. Jobs of a lane begin in order. As a connection has one request at a time, no more of them wait
// than there are connections.
class HttpWorkers {
 public:
  // How many threads each lane has.
  struct Threads {
    size_t memory = 0;
    size_t store = 0;
  };
  // The watchdog measures how long jobs of a lane wait for a thread, as lags of "NAME.memory" and
  // "NAME.store". It must outlive this; null: nobody watches.
  HttpWorkers(Threads threads, Watchdog* watchdog, const std::string& name)
      : memory_(threads.memory),
        store_(threads.store),
        memory_watch_(watchdog, threads.memory, memory_, name + ".memory"),
        store_watch_(watchdog, threads.store, store_, name + ".store") {}
  // Requires: no job is posted any more. Waits for those that were.
  ~HttpWorkers() = default;

  // Requires: kMemory or kStore; its lane has a thread. The job throws nothing.
  template <class Job>
  void post(Lane lane, Job job) {
    boost::asio::post(lane == Lane::kStore ? store_ : memory_, std::move(job));
  }

 private:
  // A lane without threads would serve no ping.
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
