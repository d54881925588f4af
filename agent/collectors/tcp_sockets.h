// Counts the TCP sockets of this network namespace by state, through sock_diag(7).
//
// The kernel walks its table of sockets: 0.4 ms when the table is empty (a host with 24 GB), 0.15 us for each
// socket in a state that is not asked for, 0.8 us for each other. The text of /proc/net/tcp costs 4 ms and
// 2.6 us. So established and waiting ones, which are the most, are not asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace statmill {

// The kernel's numbers of the states (include/net/tcp_states.h) are one more than the index.
inline constexpr std::array<std::string_view, 11> kTcpStates = {
    "established", "syn_sent",   "syn_received", "fin_wait1", "fin_wait2", "time_wait",
    "close",       "close_wait", "last_ack",     "listen",    "closing"};
enum TcpState : size_t { kTcpEstablished = 0, kTcpTimeWait = 5, kTcpCloseWait = 7, kTcpListen = 9 };

struct TcpSockets {
  std::array<uint64_t, kTcpStates.size()> count{};  // by state
  uint64_t waiting = 0;        // connections that no program has accepted yet, over all listening sockets
  double fullest_percent = 0;  // how full the queue of one of these is, the fullest
  uint64_t abandoned = 0;      // in fin_wait2, without a program: sockstat has them among those in time_wait
  uint64_t sockets = 0;        // all of these
};

// Adds the sockets in one datagram of the kernel's answer. Returns whether the answer goes on. Errors: the
// kernel refuses (kUnavailable), or the bytes are no such answer (kCorrupt).
Result<bool> add_sockets(std::span<const std::byte> datagram, TcpSockets& sockets);

inline constexpr uint64_t kTcpSocketsMax = 50'000;
inline constexpr uint64_t kTcpTimeNsMax = 50'000'000;  // CPU time

// Counts the sockets of IPv4 and IPv6 in all states but established and time_wait, whose counts are 0. Needs
// no right. Errors: kUnavailable; kLimit if there are more than kTcpSocketsMax, or if it took longer than
// kTcpTimeNsMax.
Result<TcpSockets> count_tcp_sockets();

}  // namespace statmill
