// The counts of TCP per CPU (tcp.bpf.c).
#pragma once

#include "bpf/h2.h"
#include "bpf/slots.h"

#define TCP_STATES 16         // enum in include/net/tcp_states.h: 1 (established) to 13
#define TCP_PROBE_SAMPLING 8  // one in 8 acknowledgements is examined

#define TCP_CGROUP_SLOT_BITS 9
#define TCP_CGROUP_SLOTS (1 << TCP_CGROUP_SLOT_BITS)

// The traffic of the IP sockets that were made in a cgroup, of any protocol.
struct tcp_cgroup {
  __u64 id;  // the inode number of its directory; 0 if the slot is free
  __u64 sent_bytes;
  __u64 received_bytes;
  __u64 reserved;
};

struct tcp_bank {
  struct h2_cells sent;      // bytes sent by a call
  struct h2_cells received;  // bytes received by a call, without peeking
  struct h2_cells srtt_us;
  struct h2_cells rtt_deviation_us;
  struct h2_cells connect_ns;  // from the SYN to the answer
  __u64 states[TCP_STATES];    // connections that entered the state
  __u64 connects_failed;
  __u64 synack_retransmits;
  __u64 resets_received;
  __u64 probes;                  // used by the program only: acknowledgements seen
  __u64 discarded;               // connections whose start was not seen
  __u64 cgroups_missed_sending;  // calls of tasks in cgroups that found no free slot
  __u64 cgroups_missed_receiving;
  __u64 reserved[7];
  struct tcp_cgroup cgroups[TCP_CGROUP_SLOTS];
};

// Constants that user space sets before it loads the programs.
struct tcp_settings {
  __u32 has_socket_cgroups;  // whether sockets have cgroups with names
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(tcp_bank) % 64 == 0);
#endif
