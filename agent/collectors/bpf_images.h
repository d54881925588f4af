// The compiled eBPF objects, as they stand in the agent's own file.
#pragma once

#include <string_view>

namespace statmill {

// The object of bpf/<subject>.bpf.c. Requires: there is one.
std::string_view bpf_image(std::string_view subject);

}  // namespace statmill
