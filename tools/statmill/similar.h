// What to say when no series matches.
#pragma once

#include <span>
#include <string>

#include "tools/statmill/client.h"
#include "tools/statmill/options.h"

namespace statmill {

// Returns "; similar: A, B, C": up to three series whose names have the words of the only name or pattern, or
// all but one of them; an empty text if there are none. Asks the server at most ten times; its faults give no
// names.
std::string similar_series(const Client& client, std::span<const std::string> names);

// Returns "statmill: no series matches" with them, as a line.
std::string no_series_message(const Client& client, std::span<const std::string> names);

// The same as query_outcome(answer), with similar series if the only name has no series.
Outcome query_outcome(const HttpAnswer& answer, const CommandLine& line);

}  // namespace statmill
