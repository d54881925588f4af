// Reserve file: disk space that nothing else can use. A start on a full disk frees it, because opening the
// database writes the content of its log to files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace statmill {

// Its name in a data directory.
inline constexpr const char* kReserveFile = "reserve";

// Returns its size; 0 if there is none.
uint64_t reserve_bytes(const std::filesystem::path& file);

// Creates the file with `bytes` of disk space, if it does not exist and at least as much stays free in
// addition. With 0 bytes, removes it. After an error no file is left. Errors: kIo. Cost: no data is written
// if the file system can allocate space; if it cannot, there is no reserve.
Status make_reserve(const std::filesystem::path& file, uint64_t bytes);

// Removes the file. Returns false if there was none.
bool give_up_reserve(const std::filesystem::path& file);

}  // namespace statmill
