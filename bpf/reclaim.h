// The counts of memory reclaim per CPU (reclaim.bpf.c).
#pragma once

#include "bpf/h2.h"

struct reclaim_bank {
  struct h2_cells direct_ns;   // tasks had to free memory before an allocation
  struct h2_cells compact_ns;  // tasks had to compact memory for large pages
  __u64 direct_discarded;      // ends without a known start
  __u64 compact_discarded;     // ends without a known start
  __u64 reserved[2];
};

#ifdef __cplusplus
static_assert(sizeof(reclaim_bank) % 64 == 0);
#endif
