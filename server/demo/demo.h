// `statmilld --demo`: a server with made-up data of a fleet of hosts, in memory, for a first look and for
// tests of the page.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/exit_code.h"
#include "base/settings.h"
#include "server/config.h"

namespace statmill {

// Changes the defaults of some settings to those of the demo: free ports of loopback, all doors open, little
// memory. `settings` are those of server_settings().
void use_demo_defaults(std::vector<Setting>& settings);

// Runs a server until a signal comes. Its store is in memory, instead of in store.path, and has a past
// (demo_store.h); its present is sent to its own ports by a thread of this process. Prints the address of the
// page. Requires: prepare_service() was called; `config` was parsed with the defaults of the demo.
std::optional<Fault> serve_demo(ServerConfig config);

}  // namespace statmill
