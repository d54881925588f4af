// Families of the tables and queues of the kernel's network code, and of NFS.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

inline constexpr Family kNetworkTableFamilies[] = {
    {.path = "host.conntrack.entries",
     .collector = "conntrack",
     .help = "Connections that the kernel tracks now.",
     .node_exporter = "node_nf_conntrack_entries",
     .netdata = "netfilter.conntrack_sockets"},
    {.path = "host.conntrack.entries_max",
     .collector = "conntrack",
     .help = "Connections that the kernel tracks at most; packets of further ones are dropped.",
     .node_exporter = "node_nf_conntrack_entries_limit",
     .netdata = "netfilter.conntrack_sockets"},
    {.path = "host.conntrack.drops",
     .kind = Kind::kEvent,
     .collector = "conntrack",
     .help =
         "Packets dropped because their connection could not be tracked: the table was full, or memory was.",
     .node_exporter = "node_nf_conntrack_stat_drop",
     .netdata = "netfilter.conntrack_errors"},
    {.path = "host.conntrack.early_drops",
     .kind = Kind::kEvent,
     .collector = "conntrack",
     .help = "Connections removed to make room for new ones, because the table was full.",
     .node_exporter = "node_nf_conntrack_stat_early_drop",
     .netdata = "netfilter.conntrack_errors"},
    {.path = "host.conntrack.insert_failures",
     .kind = Kind::kEvent,
     .collector = "conntrack",
     .help = "Connections that could not be added to the table, as when it has the same one already.",
     .node_exporter = "node_nf_conntrack_stat_insert_failed",
     .netdata = "netfilter.conntrack_errors"},
    {.path = "host.conntrack.invalid",
     .kind = Kind::kEvent,
     .collector = "conntrack",
     .help = "Packets that belong to no connection and begin none.",
     .node_exporter = "node_nf_conntrack_stat_invalid",
     .netdata = "netfilter.conntrack_new"},
    {.path = "host.conntrack.search_restarts",
     .kind = Kind::kEvent,
     .collector = "conntrack",
     .help = "Searches in the table that began again because its size changed.",
     .node_exporter = "node_nf_conntrack_stat_search_restart",
     .netdata = "netfilter.conntrack_search"},
};

}  // namespace statmill
