// The counts of interrupts per CPU (interrupts.bpf.c).
#pragma once

#include "bpf/h2.h"

#define SOFTIRQ_VECTORS 10
#define IRQ_SLOTS 64  // interrupt numbers below 63 have cells of their own

// Times are in ns and cover the handler only.
struct interrupts_bank {
  struct h2_cells softirq[SOFTIRQ_VECTORS];  // by vector
  struct h2_cells irq;                       // of all interrupts
  __u64 irq_ns[IRQ_SLOTS];                   // by number; all others share the last one
  __u64 discarded;                           // softirq ends without a start
  __u64 irq_discarded;
  // Used by the programs only: when the current one started; 0 if there is none.
  __u64 softirq_began;
  __u64 irq_began;
  __u64 reserved[6];
};

#ifdef __cplusplus
static_assert(sizeof(interrupts_bank) % 64 == 0);
#endif
