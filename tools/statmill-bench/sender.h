// Sending a workload over loopback or network, as fast as it goes or at a rate.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/replay.h"

namespace statmill {

// kUdp: datagrams by sendmmsg. kUdpGso: the kernel cuts the datagrams (UDP_SEGMENT), each filled with empty
// lines to one size.
enum class Transport { kTcp, kUdp, kUdpGso };

inline constexpr size_t kDatagramBytesMax = 1400;  // about 30 lines; fits an Ethernet frame

inline constexpr std::chrono::milliseconds kSlowWrite{20};

struct SendOptions {
  Endpoint server;
  Transport transport = Transport::kTcp;
  uint64_t rate = 0;          // samples per second of all streams together; 0: as fast as it goes
  int buffer_bytes = 0;       // of each socket; 0: as the kernel has it
  std::stop_token stop = {};  // ends it between two writes
};

struct Sent {
  uint64_t samples = 0;
  // How long the kernel held up single writes, of 128 KiB at most over TCP: with a full buffer that is for
  // how long the receiver read nothing, and the wait for a CPU.
  std::chrono::nanoseconds longest_write{};
  uint64_t slow_writes = 0;  // longer than kSlowWrite
};

// Returns when the last byte is with the kernel; one thread and one socket per stream.
// Errors: kUnavailable, kIo of the first stream that fails.
Result<Sent> send(const SendOptions& options, std::vector<Stream>& streams, const Passes& passes);

}  // namespace statmill
