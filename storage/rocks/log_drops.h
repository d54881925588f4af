// LogDrops: what a salvaging start leaves out of RocksDB's log, according to RocksDB's warnings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace statmill {

struct LogDrops {
  uint64_t places = 0;  // damaged stretches of the log
  uint64_t bytes = 0;
};

// Returns the number of bytes that a warning says were dropped from a log; nullopt for other warnings.
std::optional<uint64_t> dropped_bytes(std::string_view warning);

}  // namespace statmill
