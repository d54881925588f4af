// Families of the state of the host: uptime, clock, open files.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

inline constexpr Family kSystemFamilies[] = {
    {.path = "host.system.uptime_s",
     .unit = "s",
     .collector = "system",
     .help = "Time since the host booted, that in which it was suspended included.",
     .netdata = "system.uptime"},
    {.path = "host.system.boot_time_s",
     .unit = "s",
     .collector = "cpu",
     .help = "Unix time at which the host booted; a step of the clock moves it.",
     .node_exporter = "node_boot_time_seconds"},
};

}  // namespace statmill
