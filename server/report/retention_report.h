// The JSON of /api/v1/retention: how long the series of a name is kept (server/http/API.md).
#pragma once

#include <string>

#include "server/table/table.h"

namespace statmill {

// Returns {"name":"host.debug.x","rule":"host.debug.* 10s:1d","tiers":[{"step":10,"retention_s":86400}],
// "kind":"gauge","since":1690000000,"last":1700000020} and a line end. `rule` is null if no rule holds, and
// the last three are absent if no series has the name. The name is canonical.
std::string retention_json(const Table& table, const std::string& name);

}  // namespace statmill
