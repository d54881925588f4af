// What the programs of network interfaces (net.bpf.c) count, on each CPU.
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define NET_SLOT_BITS 6
#define NET_SLOTS (1 << NET_SLOT_BITS)
#define NET_PROBES 4  // slots that an interface may be in, beside each other
#define NET_REASONS 160

// Of one interface in one direction.
struct net_slot {
  __u64 ifindex;  // 0: the slot is free
  __u64 packets;
  __u64 bytes;
};

// Each direction is one program's, so each has its slots.
struct net_direction {
  struct net_slot slots[NET_SLOTS];
  struct net_slot elsewhere;  // all interfaces of other network namespaces
  __u64 slots_missed;         // packets of interfaces that found no slot
};

struct net_bank {
  struct net_direction received;
  struct net_direction sent;
  __u64 drops[NET_REASONS];  // by enum skb_drop_reason; those above share the last
  __u64 sending_timeouts;    // a device that took no packet for too long
  __u64 reserved[7];
};

// What user space decides before the programs are loaded.
struct net_settings {
  __u32 namespace_inode;  // of the network namespace whose interfaces are told apart
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(net_bank) % 64 == 0);
#endif
