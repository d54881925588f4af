// ChaosProxy: a TCP proxy that simulates a bad network. Its faults follow from a seed.
//
// Each connection has a fault plan (chaos_link.h). After some bytes, often in the middle of a frame, it may
// end or be reset, be cut without one side noticing, pause, or flip a bit; or it is refused.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tests/support/chaos_link.h"

namespace statmill {

// Returns the fault plan of a connection, given its number.
FaultPlan plan_of(uint64_t seed, uint64_t connection);

// Thread-safe, except construction and destruction.
class ChaosProxy {
 public:
  // Listens on a free port of 127.0.0.1.
  explicit ChaosProxy(uint64_t seed);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  Endpoint endpoint() const { return endpoint_; }
  // Forwards later connections to `server`.
  void forward_to(const Endpoint& server);
  // Resets all connections. Later ones have no faults.
  void stop_faults();
  // The fault plans so far, one per line.
  std::string story() const;
  uint64_t connections() const;

 private:
  using Tcp = boost::asio::ip::tcp;

  void accept();
  void adopt(Tcp::socket client);

  const uint64_t seed_;
  mutable Mutex mutex_;
  Endpoint server_ GUARDED_BY(mutex_);
  bool is_faultless_ GUARDED_BY(mutex_) = false;
  uint64_t connections_ GUARDED_BY(mutex_) = 0;
  std::string story_ GUARDED_BY(mutex_);
  boost::asio::io_context loop_{1};
  Tcp::acceptor acceptor_;
  Endpoint endpoint_;
  std::vector<std::weak_ptr<ChaosLink>> links_;  // confined to the thread
  std::thread thread_;
};

}  // namespace statmill
