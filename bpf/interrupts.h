// What the programs of interrupts (interrupts.bpf.c) count, on each CPU.
#pragma once

#include "bpf/h2.h"

#define SOFTIRQ_VECTORS 10
#define IRQ_SLOTS 64  // interrupts with lower numbers have cells of their own

struct irq_cells {
  __u64 count;
  __u64 ns;
};

// Times in ns, in the handler.
struct interrupts_bank {
  struct h2_cells softirq[SOFTIRQ_VECTORS];  // by vector
  struct h2_cells irq;                       // all together
  struct irq_cells irqs[IRQ_SLOTS];          // by number; those above share the last
  __u64 discarded;                           // ends without a beginning
  __u64 irq_discarded;
  // The programs' own: when the one under way began, 0: none is.
  __u64 softirq_began;
  __u64 irq_began;
  __u64 reserved[6];
};

#ifdef __cplusplus
static_assert(sizeof(interrupts_bank) % 64 == 0);
#endif
