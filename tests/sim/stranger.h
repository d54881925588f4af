// Stranger: someone with a valid token who means no good. What it says at a server.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "tests/sim/stage.h"

namespace statmill::sim {

// The bytes of one conversation, at a server whose clock is at `now`. `overheard` is what an agent once said
// there; empty: nothing is known of any agent.
std::string words_of_stranger(Chance& chance, std::string_view overheard, Timestamp now);

}  // namespace statmill::sim
