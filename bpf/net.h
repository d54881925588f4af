// The counts of network interfaces per CPU (net.bpf.c).
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define NET_SLOT_BITS 6
#define NET_SLOTS (1 << NET_SLOT_BITS)
#define NET_PROBES 4  // adjacent slots that an interface may use
#define NET_REASONS 160

// One interface in one direction.
struct net_slot {
  __u64 ifindex;  // 0 if the slot is free
  __u64 packets;
  __u64 bytes;
};

// Each direction has slots of its own, because a different program writes it.
struct net_direction {
  struct net_slot slots[NET_SLOTS];
  struct net_slot elsewhere;  // all interfaces of other network namespaces
  __u64 slots_missed;         // packets of interfaces that found no free slot
};

struct net_bank {
  struct net_direction received;
  struct net_direction sent;
  __u64 drops[NET_REASONS];  // by enum skb_drop_reason; reasons beyond share the last one
  __u64 sending_timeouts;    // a device accepted no packet for too long
  __u64 reserved[7];
};

// Constants that user space sets before it loads the programs.
struct net_settings {
  __u32 namespace_inode;  // of the network namespace whose interfaces are counted separately
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(net_bank) % 64 == 0);
#endif
