// Stranger: a malicious client with a valid token, and what it sends to a server.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "tests/sim/stage.h"

namespace statmill::sim {

// Returns the bytes of one conversation with a server whose clock is at `now`. `overheard` is what an agent
// once sent there; empty: no agent is known.
std::string stranger_bytes(Chance& chance, std::string_view overheard, Timestamp now);

}  // namespace statmill::sim
