// Time zones from files of the system's database, in the format TZif (RFC 8536). The C library reads them
// only for the whole process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time_text.h"

namespace statmill {

// The largest files of the database have 4 KiB.
inline constexpr size_t kZoneFileBytesMax = size_t{64} << 10;
inline constexpr size_t kZoneNameBytesMax = 64;
inline constexpr std::string_view kZoneFolder = "/usr/share/zoneinfo";

// Parses a file of version 2 or later. After its last change of the offset the rule at its end applies; times
// before the year 1 and after the year 9999 have the offset of these. Errors: kInvalid, also for a file that
// counts leap seconds. Cost: a copy of its changes; a call of the zone searches them.
Result<Zone> parse_zone_file(std::string_view bytes);

// Reads the zone of a name such as "Europe/Berlin"; no name leads out of the folder. Errors: kInvalid, for
// the sender of the name. Cost: a small file.
Result<Zone> read_zone(std::string_view name, const std::string& folder = std::string(kZoneFolder));

}  // namespace statmill
