// The counts of TCP per CPU (tcp.bpf.c).
#pragma once

#include "bpf/h2.h"

#define TCP_STATES 16         // enum in include/net/tcp_states.h: 1 (established) to 13
#define TCP_PROBE_SAMPLING 8  // one in 8 acknowledgements is examined

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
  __u64 probes;     // used by the program only: acknowledgements seen
  __u64 discarded;  // connections whose start was not seen
  __u64 reserved[1];
};

#ifdef __cplusplus
static_assert(sizeof(tcp_bank) % 64 == 0);
#endif
