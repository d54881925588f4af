// HttpWorkers: threads for requests that take long, so that the event loop answers the others meanwhile.
//
// What may wait for the disk has threads of its own: while the disk hangs they may all be held, and what lies
// in memory is still answered.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <utility>

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
  explicit HttpWorkers(Threads threads) : memory_(threads.memory), store_(threads.store) {}
  // Requires: no job is posted any more. Waits for those that were.
  ~HttpWorkers() = default;

  // Requires: kMemory or kStore; its lane has a thread. The job throws nothing.
  template <class Job>
  void post(Lane lane, Job job) {
    boost::asio::post(lane == Lane::kStore ? store_ : memory_, std::move(job));
  }

 private:
  boost::asio::thread_pool memory_;
  boost::asio::thread_pool store_;
};

}  // namespace statmill
