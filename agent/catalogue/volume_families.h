// Families of arrays of disks: md, multipath and the cache of ZFS.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

inline constexpr Family kVolumeFamilies[] = {
    {.path = "host.md.state",
     .tags = {"device", "state"},
     .collector = "md",
     .help = "1 for the state in which the array is, 0 for the others: active, readonly, inactive, broken.",
     .node_exporter = "node_md_state",
     .netdata = "md.health"},
    {.path = "host.md.disks",
     .tags = {"device", "state"},
     .collector = "md",
     .help = "Disks of the array that are active, spare, faulty, or rebuilding.",
     .node_exporter = "node_md_disks",
     .netdata = "md.disks"},
    {.path = "host.md.disks_required",
     .tags = {"device"},
     .collector = "md",
     .help = "Disks of the array when it is whole, without spares.",
     .node_exporter = "node_md_disks_required",
     .netdata = "md.disks"},
    {.path = "host.md.disks_missing",
     .tags = {"device"},
     .collector = "md",
     .help = "How many disks the array lacks; absent if it has no redundancy.",
     .node_exporter = "node_md_degraded",
     .netdata = "md.health"},
    {.path = "host.md.sync_percent",
     .unit = "percent",
     .tags = {"action", "device"},
     .collector = "md",
     .help = "How far a resync, recover, check, repair or reshape is; absent while there is none.",
     .node_exporter = "node_md_blocks_synced",
     .netdata = "md.status"},
    {.path = "host.md.sync_bytes_per_second",
     .unit = "bytes_per_second",
     .tags = {"action", "device"},
     .collector = "md",
     .help = "Speed of that, averaged over some 30 s.",
     .netdata = "md.operation_speed"},
    {.path = "host.md.mismatched_bytes",
     .unit = "bytes",
     .tags = {"device"},
     .collector = "md",
     .help = "Data that the last check or repair found different between disks.",
     .netdata = "md.mismatch_cnt"},
    {.path = "host.multipath.paths",
     .tags = {"device", "state"},
     .collector = "multipath",
     .help = "Paths of the multipath device by state; running and live ones work. Running is 0 if none does.",
     .node_exporter = "node_dmmultipath_device_paths"},
};

}  // namespace statmill
