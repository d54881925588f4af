// The counts of block devices per CPU (block.bpf.c).
#pragma once

#include "bpf/h2.h"
#include "bpf/slots.h"

#define BLOCK_SLOT_BITS 6
#define BLOCK_SLOTS (1 << BLOCK_SLOT_BITS)
#define BLOCK_PROBES 8  // adjacent slots that an operation of a device may use

enum block_op { BLOCK_READ, BLOCK_WRITE, BLOCK_FLUSH, BLOCK_DISCARD, BLOCK_OTHER, BLOCK_OPS };

// One operation on one device (not a partition).
struct block_slot {
  __u64 key;  // 0 if the slot is free; see block_key()
  __u64 errors;
  struct h2_cells latency_ns;  // from the creation of the request to its completion, as in /proc/diskstats
};

struct block_bank {
  struct block_slot slots[BLOCK_SLOTS];
  struct h2_cells queue_ns[BLOCK_OPS];  // from the creation of the request until the driver accepted it
  __u64 requeues;
  __u64 discarded;     // requests without a start time: not in the latencies
  __u64 slots_missed;  // requests that found no free slot
  __u64 reserved[3];
};

static inline __u64 block_key(__u32 major, __u32 minor, __u32 op) {
  return (__u64)major << 32 | (__u64)minor << 8 | (op + 1);
}

#ifdef __cplusplus
static_assert(sizeof(block_bank) % 64 == 0);
#endif
