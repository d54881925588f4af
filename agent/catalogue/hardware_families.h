// Families of the hardware of a host: links, clocks of CPUs, sensors, energy, RAID and multipath.
#pragma once

#include "agent/catalogue/family.h"

namespace statmill {

inline constexpr Family kHardwareFamilies[] = {
    {.path = "host.net.up",
     .tags = {"device"},
     .collector = "link",
     .help =
         "1 while the interface can pass traffic, 0 in all other states; absent if its driver does not say.",
     .node_exporter = "node_network_up",
     .netdata = "net.operstate"},
    {.path = "host.net.carrier",
     .tags = {"device"},
     .collector = "link",
     .help = "1 while the interface has a carrier, such as a cable with a live peer; absent while it is set "
             "down.",
     .node_exporter = "node_network_carrier",
     .netdata = "net.carrier"},
    {.path = "host.net.carrier_changes",
     .kind = Kind::kEvent,
     .tags = {"device"},
     .collector = "link",
     .help = "How often the interface lost or got its carrier.",
     .node_exporter = "node_network_carrier_changes_total"},
    {.path = "host.net.full_duplex",
     .tags = {"device"},
     .collector = "link",
     .help = "1 if the link is full duplex, 0 if it is half duplex; absent without a carrier.",
     .node_exporter = "node_network_info",
     .netdata = "net.duplex"},
    {.path = "host.net.mtu_bytes",
     .unit = "bytes",
     .tags = {"device"},
     .collector = "link",
     .help = "Largest packet that the interface sends.",
     .node_exporter = "node_network_mtu_bytes",
     .netdata = "net.mtu"},
    {.path = "host.net.speed_bytes_per_second",
     .unit = "bytes_per_second",
     .tags = {"device"},
     .collector = "link",
     .help = "Speed of the link; absent without a carrier, and for virtual interfaces, which have none.",
     .node_exporter = "node_network_speed_bytes",
     .netdata = "net.speed"},
};

}  // namespace statmill
