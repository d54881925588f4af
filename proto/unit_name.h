// unit_of_name(): what the values of a series measure, as far as its name says it.
#pragma once

#include <string_view>

namespace statmill {

// Returns the unit that the last part of the path ends in: "bytes" for `disk.read_bytes;device=sda`, "s" for
// `http.latency_seconds_total`. Returns an empty text if it ends in none. Only for families whose unit nobody
// has given.
std::string_view unit_of_name(std::string_view name);

}  // namespace statmill
