// Names of metrics and labels, as Prometheus 3 writes them where only letters, digits and `_` may be:
// `U__cpu_2e_idle` means `cpu.idle`.
#pragma once

#include <string>
#include <string_view>

namespace statmill::promql {

// Returns the name that is meant: after `U__`, `__` means `_`, and `_2e_` is a code point in hex. A text that
// has another form is the name itself.
std::string unescaped_name(std::string_view name);

}  // namespace statmill::promql
