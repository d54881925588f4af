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
    {.path = "host.system.entropy",
     .collector = "system",
     .help = "Bits of entropy that the kernel's random numbers have; always 256 from kernel 5.18 on, once "
             "there is enough.",
     .node_exporter = "node_entropy_available_bits",
     .netdata = "system.entropy"},
    {.path = "host.clock.synchronized",
     .collector = "clock",
     .help = "1 while a program keeps the clock at true time, as the kernel knows it; else 0.",
     .node_exporter = "node_timex_sync_status",
     .netdata = "system.clock_sync_state"},
    {.path = "host.clock.offset_ns",
     .unit = "ns",
     .collector = "clock",
     .help = "What the kernel still adds to the clock so that it has true time; absent if it is not "
             "synchronized. Programs that only set its frequency leave it at 0.",
     .node_exporter = "node_timex_offset_seconds",
     .netdata = "system.clock_sync_offset"},
    {.path = "host.clock.estimated_error_ns",
     .unit = "ns",
     .collector = "clock",
     .help = "Error of the clock as the program that keeps it estimates it.",
     .node_exporter = "node_timex_estimated_error_seconds"},
    {.path = "host.clock.max_error_ns",
     .unit = "ns",
     .collector = "clock",
     .help = "Limit of that error; it grows until the program reports to the kernel again.",
     .node_exporter = "node_timex_maxerror_seconds"},
    {.path = "host.clock.frequency_ppm",
     .unit = "ppm",
     .collector = "clock",
     .help = "By how much the kernel runs the clock faster than its hardware, in millionths.",
     .node_exporter = "node_timex_frequency_adjustment_ratio"},
    {.path = "host.files.open",
     .collector = "files",
     .help = "Open files of the whole system: files, sockets, pipes and the like.",
     .node_exporter = "node_filefd_allocated",
     .netdata = "system.file_nr_used"},
    {.path = "host.files.max",
     .collector = "files",
     .help = "Limit of that number; absent if there is none.",
     .node_exporter = "node_filefd_maximum",
     .netdata = "system.file_nr_utilization"},
    {.path = "host.files.inodes", .collector = "files", .help = "Inodes that the kernel keeps in memory."},
    {.path = "host.files.inodes_unused",
     .collector = "files",
     .help = "The part of these that nothing uses."},
};

}  // namespace statmill
