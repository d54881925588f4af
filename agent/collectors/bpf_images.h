// The compiled eBPF objects, embedded in the agent's binary.
#pragma once

#include <string_view>

namespace statmill {

// Returns the object compiled from bpf/<subject>.bpf.c. Requires: it exists.
std::string_view bpf_image(std::string_view subject);

}  // namespace statmill
