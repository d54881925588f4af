// The sockets collector: sockets by protocol and their memory, and TCP connections by state.
#pragma once

#include <functional>
#include <memory>

#include "agent/collectors/collector.h"
#include "agent/collectors/tcp_sockets.h"

namespace statmill {

struct SocketsOptions {
  std::function<Result<TcpSockets>()> count_tcp = count_tcp_sockets;  // tests pass another
  bool is_each_time = false;  // counts TCP connections at each collection instead of once in 10 s
};

// With more sockets in the kernel's tables, TCP connections are not counted by state, because that would take
// longer than 30 ms for each version of IP.
inline constexpr uint64_t kTcpTableMax = 200'000;

// The reader and the clock must outlive the collector.
std::unique_ptr<Collector> make_sockets_collector(ProcReader& proc, const Clock& clock,
                                                  SocketsOptions options);

}  // namespace statmill
