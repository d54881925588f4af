// Reserve file: room on the disk that nothing else can take. A start on a full disk gives it up, so that the
// database can be opened: that writes what is in its log to files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace statmill {

// Where it is in a data directory.
inline constexpr const char* kReserveFile = "reserve";

// The bytes it has; 0: there is none.
uint64_t reserve_bytes(const std::filesystem::path& file);

// Makes the file with so many bytes of the disk, if it is not there yet and at least as much stays free
// beside it. 0 bytes: removes it. Errors: kIo, nothing is left of it then. Cost: it writes nothing where the
// file system can allocate; where it cannot, there is no reserve.
Status make_reserve(const std::filesystem::path& file, uint64_t bytes);

// Gives its room back to the disk. False: it was not there.
bool give_up_reserve(const std::filesystem::path& file);

}  // namespace statmill
