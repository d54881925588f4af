// Which kernel this host runs, and since when.
#pragma once

#include <string>

#include "base/clock.h"
#include "proto/host_boot.h"

namespace statmill {

// Reads it from `proc_root`, which is /proc except in tests; `now` is the wall clock. What cannot be read
// stays empty or zero. Cost: three small files.
HostBoot read_host_boot(const std::string& proc_root, Timestamp now);

}  // namespace statmill
