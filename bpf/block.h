// What the programs of block devices (block.bpf.c) count, on each CPU.
#pragma once

#include "bpf/h2.h"

#define BLOCK_SLOT_BITS 6
#define BLOCK_SLOTS (1 << BLOCK_SLOT_BITS)
#define BLOCK_PROBES 8  // slots that a device's operation may be in, beside each other

enum block_op { BLOCK_READ, BLOCK_WRITE, BLOCK_FLUSH, BLOCK_DISCARD, BLOCK_OTHER, BLOCK_OPS };

// Of one operation on one whole device.
struct block_slot {
  __u64 key;  // 0: the slot is free; see block_key()
  __u64 ops;
  __u64 bytes;
  __u64 errors;
  struct h2_cells latency_ns;  // from the making of the request to its completion, as /proc/diskstats has it
};

struct block_bank {
  struct block_slot slots[BLOCK_SLOTS];
  struct h2_cells queue_ns[BLOCK_OPS];  // from the making of the request until the driver took it
  __u64 requeues;
  __u64 discarded;     // requests that the kernel did not stamp: not in the latencies
  __u64 slots_missed;  // requests that found no slot
  __u64 reserved[3];
};

static inline __u64 block_key(__u32 major, __u32 minor, __u32 op) {
  return (__u64)major << 32 | (__u64)minor << 8 | (op + 1);
}

#ifdef __cplusplus
static_assert(sizeof(block_bank) % 64 == 0);
#endif
