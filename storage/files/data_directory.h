// Data directory: checks whose it is and what is in it before anything in it is changed.
//
//   DIR/FORMAT   two lines: "statmill store MAJOR.MINOR" and "steps 10s,5m,1h"
//   DIR/db/      the RocksDB database
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/tiers.h"

namespace statmill {

// A directory with files but without this one is not a data directory.
inline constexpr const char* kFormatFile = "FORMAT";
inline constexpr uint16_t kFormatMajor = 2;
// Defined in a library of its own, so that tests can link programs that write a later format.
extern const uint16_t kFormatMinor;
// A program reads all versions from this one to its own.
inline constexpr uint16_t kFormatMajorOldest = 1;

// Checks that `path` is a data directory of a format that this program reads and of these tier steps, and
// returns the path of its database. A missing or empty directory becomes one (parents are created). After an
// error nothing in it has changed. Errors: kInvalid (foreign files, other steps), kVersion, kCorrupt
// (database missing), kIo.
Result<std::string> prepare_data_directory(const std::string& path, const Tiers& tiers);

// Raises the version in FORMAT to this program's, so that older ones refuse the directory. Call it before
// anything is written to the database. Errors: as read_format(), kVersion.
Status raise_format(const std::string& directory);

// Returns the path of the database of a data directory or a backup.
std::string database_path(const std::string& directory);

// Returns the content of the file FORMAT. Errors: kNotFound, kIo.
Result<std::string> read_format(const std::string& directory);

// Parses the content of FORMAT. It has no retentions, so the tiers are kept for ever. Errors: kInvalid,
// kVersion.
Result<Tiers> tiers_of_format(std::string_view text);

}  // namespace statmill
