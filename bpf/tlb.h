// The counts of TLB flushes per CPU (tlb.bpf.c).
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TLB_REASONS 8  // enum tlb_flush_reason in include/linux/mm_types.h has 6

struct tlb_bank {
  __u64 flushes[TLB_REASONS];
  __u64 pages[TLB_REASONS];  // without flushes of whole address spaces
};
