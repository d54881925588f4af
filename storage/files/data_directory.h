// Data directory: whose it is and what is in it, checked before anything in it is touched.
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

// Its name; a directory without is no data directory.
inline constexpr const char* kFormatFile = "FORMAT";
inline constexpr uint16_t kFormatMajor = 1;  // a program reads its own major version only
inline constexpr uint16_t kFormatMinor = 5;

// Makes sure that `path` is a data directory of this format and these tier steps, and gives the path of its
// database; a missing or empty directory becomes one (parents are created). On an error nothing in it has
// changed. Errors: kInvalid (someone else's files, other steps), kVersion, kCorrupt (database gone), kIo.
Result<std::string> prepare_data_directory(const std::string& path, const Tiers& tiers);

// Where the database of a data directory (or of a backup) is.
std::string database_path(const std::string& directory);

// The text of the file FORMAT. Errors: kNotFound, kIo.
Result<std::string> read_format(const std::string& directory);

// The tiers that such a text names; how long they are kept it does not know: for ever. Errors: kInvalid,
// kVersion.
Result<Tiers> tiers_of_format(std::string_view text);

}  // namespace statmill
