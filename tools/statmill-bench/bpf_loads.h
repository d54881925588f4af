// Loads that give the agent's eBPF programs something to count, each with as many operations as it is told.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace statmill {

// Round trips of a byte between two threads on one CPU, through pipes; nanoseconds of each.
Result<double> ping_pong(uint64_t rounds);
// Datagrams to a socket of the loopback interface.
Status send_datagrams(uint64_t count);
// Sends and receives over a TCP connection of the loopback interface.
Status exchange_over_tcp(uint64_t count);
// Reads of 4 KiB that no cache answers. Errors: also kUnavailable when the directory for temporary files is
// on no disk.
Status read_from_disk(uint64_t count);

}  // namespace statmill
