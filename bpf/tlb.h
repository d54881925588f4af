// What the program of TLB flushes (tlb.bpf.c) counts, on each CPU.
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TLB_REASONS 8  // enum tlb_flush_reason of include/linux/mm_types.h has 6

struct tlb_bank {
  __u64 flushes[TLB_REASONS];
  __u64 pages[TLB_REASONS];  // those of whole address spaces count none
};
