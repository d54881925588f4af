// Sending a workload at full speed over loopback or network.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {

inline constexpr size_t kDatagramBytesMax = 1400;  // about 40 lines; fits an Ethernet frame

// Each returns when the last byte is with the kernel; one thread and one socket per stream.
// Errors: kUnavailable, kIo of the first stream that fails.
Status send_tcp(const Endpoint& server, const std::vector<Stream>& streams);
Status send_udp(const Endpoint& server, const std::vector<Stream>& streams);
// The same, but the kernel cuts the datagrams (UDP_SEGMENT): each is filled with empty lines to one size.
Status send_udp_gso(const Endpoint& server, const std::vector<Stream>& streams);

}  // namespace statmill
