// Asks the server for what a view needs. Blocks; `statmill top` calls it on a thread of its own.
#pragma once

#include "tools/statmill/client.h"
#include "tools/statmill/top/state.h"

namespace statmill {

// Returns what `wanted` names. What could not be had is empty, and `problem` says why.
TopData fetch_top(const Client& client, const Wanted& wanted, const std::string& charted);

}  // namespace statmill
