// Families of processes, of the programs that they run, and of the users who are logged in.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

inline constexpr Family kProcessFamilies[] = {
    {.path = "host.process.processes",
     .tags = {"state"},
     .collector = "processes",
     .help = "Processes by the state of their first thread, threads of the kernel included: running (or "
             "waiting for a CPU), sleeping, "
             "disk_sleep (uninterruptible), stopped, traced, zombie, idle, other.",
     .node_exporter = "node_processes_state",
     .netdata = "system.processes_state"},
    {.path = "host.program.cpu_ns",
     .kind = Kind::kEvent,
     .unit = "ns",
     .tags = {"program"},
     .collector = "processes",
     .help = "CPU time of the program's processes, in steps of 10 ms; without what a process used after the "
             "last reading before its end.",
     .netdata = "app.cpu_utilization"},
    {.path = "host.program.resident_bytes",
     .unit = "bytes",
     .tags = {"program"},
     .collector = "processes",
     .help =
         "Resident memory of the program's processes; pages that several of them share count once for each.",
     .netdata = "app.mem_usage"},
    {.path = "host.program.processes",
     .tags = {"program"},
     .collector = "processes",
     .help = "Processes of the program; kernel: threads of the kernel, other: all programs without series of "
             "their own.",
     .netdata = "app.processes"},
    {.path = "host.program.threads",
     .tags = {"program"},
     .collector = "processes",
     .help = "Threads of the program's processes.",
     .netdata = "app.threads"},
    {.path = "host.users.sessions",
     .collector = "users",
     .help = "Sessions of users who are logged in, at terminals, by ssh or at a desktop.",
     .node_exporter = "node_logind_sessions"},
    {.path = "host.users.logged_in", .collector = "users", .help = "Users who have such a session."},
};

}  // namespace statmill
