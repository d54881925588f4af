// How many samples were refused for each reason, as a text.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "proto/refusal.h"

namespace statmill {

// Returns the reasons and their counts, most first: "3 too_old, 1 bad_name". Empty if nothing was refused.
std::string refusals_text(const std::array<uint64_t, kRefusalCount>& refused);

}  // namespace statmill
