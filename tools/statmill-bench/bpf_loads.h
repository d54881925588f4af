// Loads that give the agent's eBPF programs something to count. Each performs the given number of operations.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace statmill {

// Sends a byte back and forth between two threads on one CPU through pipes. Returns the nanoseconds of each
// round trip.
Result<double> ping_pong(uint64_t rounds);
// Sends datagrams to a socket on the loopback interface.
Status send_datagrams(uint64_t count);
// Sends and receives over a TCP connection on the loopback interface.
Status exchange_over_tcp(uint64_t count);
// Reads blocks of 4 KiB past every cache. Errors: also kUnavailable if the directory for temporary files is
// not on a disk.
Status read_from_disk(uint64_t count);

}  // namespace statmill
