// free_bytes(): how much room a file system has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace statmill {

// Returns how many bytes an ordinary user can still write to the file system of `path`; nullopt if that is
// unknown. Waits for the file system, so a thread that must not wait for a disk must not call it.
std::optional<uint64_t> free_bytes(const std::string& path);

}  // namespace statmill
