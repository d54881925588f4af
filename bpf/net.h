// The counts of the network per CPU (net.bpf.c).
#pragma once

#include "bpf/slots.h"

#define NET_REASONS 160

// All interfaces of other network namespaces, in one direction.
struct net_traffic {
  __u64 packets;
  __u64 bytes;
};

#define NET_CGROUP_SLOT_BITS 9
#define NET_CGROUP_SLOTS (1 << NET_CGROUP_SLOT_BITS)
#define NET_XDP_SLOT_BITS 6
#define NET_XDP_SLOTS (1 << NET_XDP_SLOT_BITS)

struct net_cgroup {
  __u64 id;     // the inode number of its directory; 0 if the slot is free
  __u64 drops;  // packets that were dropped on their way from or to its sockets
};

// What XDP programs did with the packets of an interface of the agent's network namespace.
struct net_xdp {
  __u64 id;  // the number of the interface; 0 if the slot is free
  __u64 redirected;
  __u64 redirects_failed;  // dropped: there is no target, or it is down
  __u64 aborted;           // dropped: the program returned XDP_ABORTED or nothing that XDP knows
  __u64 queue_full;        // dropped: redirected to this interface, which had no room
  __u64 reserved[3];
};

struct net_bank {
  struct net_traffic received;
  struct net_traffic sent;
  __u64 drops[NET_REASONS];  // by enum skb_drop_reason; reasons beyond share the last one
  __u64 sending_timeouts;    // a device accepted no packet for too long
  __u64 cgroups_missed;      // drops for cgroups that found no free slot
  __u64 interfaces_missed;   // packets of interfaces that found no free slot
  __u64 reserved[1];
  struct net_cgroup cgroups[NET_CGROUP_SLOTS];
  struct net_xdp xdp[NET_XDP_SLOTS];
};

// Constants that user space sets before it loads the programs.
struct net_settings {
  __u32
      namespace_inode;  // of the network namespace whose interfaces are not counted: text tells their traffic
  __u32 has_socket_cgroups;  // whether sockets have cgroups with names
};

#ifdef __cplusplus
static_assert(sizeof(net_bank) % 64 == 0);
#endif
