// What the programs of memory reclaim (reclaim.bpf.c) count, on each CPU.
#pragma once

#include "bpf/h2.h"

struct reclaim_bank {
  struct h2_cells direct_ns;   // tasks that had to free memory before they got any
  struct h2_cells compact_ns;  // that had to move pages together
  __u64 direct_pages;          // freed that way
  __u64 oom_kills;
  __u64 direct_discarded;   // ends without a beginning
  __u64 compact_discarded;  // likewise
};

#ifdef __cplusplus
static_assert(sizeof(reclaim_bank) % 64 == 0);
#endif
