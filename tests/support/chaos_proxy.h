// ChaosProxy: a TCP proxy that treats its connections as bad networks do, by a schedule that follows from a
// seed.
//
// Each connection has a fate of its own (chaos_link.h): it ends or is reset after so many bytes, in the
// middle of a frame like as not; one side is cut and the other not told; nothing passes for a while; a bit is
// flipped; it is refused. The seed says what befalls the n-th connection.
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

// Of the n-th connection.
Fate fate_of(uint64_t seed, uint64_t connection);

// Thread-safe, but for construction and destruction.
class ChaosProxy {
 public:
  // Listens on a free port of 127.0.0.1 from construction on.
  explicit ChaosProxy(uint64_t seed);
  ~ChaosProxy();
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;

  Endpoint endpoint() const { return endpoint_; }
  // Where later connections lead.
  void lead_to(const Endpoint& server);
  // Resets all connections; later ones pass everything on.
  void calm();
  // The fates so far, one a line.
  std::string story() const;
  uint64_t connections() const;

 private:
  using Tcp = boost::asio::ip::tcp;

  void accept();
  void adopt(Tcp::socket client);

  const uint64_t seed_;
  mutable Mutex mutex_;
  Endpoint server_ GUARDED_BY(mutex_);
  bool is_calm_ GUARDED_BY(mutex_) = false;
  uint64_t connections_ GUARDED_BY(mutex_) = 0;
  std::string story_ GUARDED_BY(mutex_);
  boost::asio::io_context loop_{1};
  Tcp::acceptor acceptor_;
  Endpoint endpoint_;
  std::vector<std::weak_ptr<ChaosLink>> links_;  // confined to the thread
  std::thread thread_;
};

}  // namespace statmill
