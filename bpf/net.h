// The counts of the network per CPU (net.bpf.c).
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define NET_REASONS 160

// All interfaces of other network namespaces, in one direction.
struct net_traffic {
  __u64 packets;
  __u64 bytes;
};

struct net_bank {
  struct net_traffic received;
  struct net_traffic sent;
  __u64 drops[NET_REASONS];  // by enum skb_drop_reason; reasons beyond share the last one
  __u64 sending_timeouts;    // a device accepted no packet for too long
  __u64 reserved[3];
};

// Constants that user space sets before it loads the programs.
struct net_settings {
  __u32
      namespace_inode;  // of the network namespace whose interfaces are not counted: text tells their traffic
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(net_bank) % 64 == 0);
#endif
