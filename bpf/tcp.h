// What the programs of TCP (tcp.bpf.c) count, on each CPU.
#pragma once

#include "bpf/h2.h"

#define TCP_STATES 16         // enum of include/net/tcp_states.h: 1 (established) to 13
#define TCP_PROBE_SAMPLING 8  // of so many acknowledgements, one is looked at

struct tcp_bank {
  struct h2_cells sent;      // bytes that a call sent
  struct h2_cells received;  // or received; peeking is not receiving
  struct h2_cells srtt_us;
  struct h2_cells rtt_deviation_us;
  struct h2_cells connect_ns;  // from the SYN to the answer
  __u64 states[TCP_STATES];    // connections that came to be in that state
  __u64 accepted;              // connections that others made to us
  __u64 connects_failed;
  __u64 retransmits;
  __u64 synack_retransmits;
  __u64 resets_sent;
  __u64 resets_received;
  __u64 probes;     // the program's own: acknowledgements seen
  __u64 discarded;  // connections whose beginning was not seen
  __u64 reserved[6];
};

#ifdef __cplusplus
static_assert(sizeof(tcp_bank) % 64 == 0);
#endif
