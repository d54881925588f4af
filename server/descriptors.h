// How the server shares the file descriptors of its process.
#pragma once

#include <cstddef>
#include <optional>

#include "base/exit_code.h"
#include "base/log.h"
#include "server/config.h"

namespace statmill {

// Lowers the limits on connections, and the tables that the store keeps open, so that all of them fit into
// `descriptors`, and logs what the limits are then: connections must never take the descriptors of the store,
// or no tick is durable. Returns a fault if there are too few descriptors, about 120 with the default
// settings.
std::optional<Fault> plan_descriptors(size_t descriptors, ServerConfig& config, Log& log);

}  // namespace statmill
