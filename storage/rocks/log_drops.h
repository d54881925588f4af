// Log drops: what a salvaging start leaves out of RocksDB's log, as its warnings tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace statmill {

struct LogDrops {
  uint64_t places = 0;  // stretches of the log that were damaged
  uint64_t bytes = 0;
};

// The bytes that a warning says are dropped from a log; none when it is about something else.
std::optional<uint64_t> dropped_bytes(std::string_view warning);

}  // namespace statmill
