// Sends a workload over loopback or a network, at full speed or at a given rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/replay.h"

namespace statmill {

// kUdp sends datagrams by sendmmsg. With kUdpGso the kernel cuts the datagrams (UDP_SEGMENT), which are
// padded with empty lines to one size.
enum class Transport { kTcp, kUdp, kUdpGso };

inline constexpr size_t kDatagramBytesMax = 1400;  // about 30 lines; fits an Ethernet frame

inline constexpr std::chrono::milliseconds kSlowWrite{20};

struct SendOptions {
  Endpoint server;
  Transport transport = Transport::kTcp;
  uint64_t rate = 0;          // samples per second of all streams together; 0: full speed
  int buffer_bytes = 0;       // per socket; 0: the kernel's default
  std::stop_token stop = {};  // stops the run between two writes
};

struct Sent {
  uint64_t samples = 0;
  // The longest time that a single write blocked (at most 128 KiB over TCP). With a full buffer that is the
  // time that the receiver read nothing, plus the wait for a CPU.
  std::chrono::nanoseconds longest_write{};
  uint64_t slow_writes = 0;  // writes that took longer than kSlowWrite
};

// Returns when the kernel has accepted the last byte. Uses one thread and one socket per stream. Errors:
// kUnavailable or kIo of the first stream that fails.
Result<Sent> send(const SendOptions& options, std::vector<Stream>& streams, const Passes& passes);

}  // namespace statmill
