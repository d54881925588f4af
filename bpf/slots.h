// Slots: a small hash table in the bank of a CPU, for counts of cgroups, interfaces and block devices.
//
// Each slot begins with a 64-bit id; 0 marks a free one. A key may use one of a few adjacent slots, on
// each CPU another one, so its counts are the sum over all slots with its id. User space clears the slots of
// what is gone.
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SLOT_PROBES 4  // adjacent slots that a cgroup or an interface may use

#ifdef __bpf__

// Returns the slot of `id` among 2^bits slots, allocated on first use; null if none of its `probes` slots is
// free. A program in a soft interrupt may interrupt another one here, hence the atomic exchange.
static __always_inline void* find_slot_in(void* slots, __u32 bits, __u32 probes, __u32 slot_bytes, __u64 id) {
  const __u64 home = id * 0x9E3779B97F4A7C15ULL >> (64 - bits);
  for (__u32 i = 0; i < probes; ++i) {
    __u64* slot = slots + ((home + i) & ((1 << bits) - 1)) * slot_bytes;
    if (*slot == id) return slot;
    if (*slot == 0) {
      const __u64 before = __sync_val_compare_and_swap(slot, 0, id);
      if (before == 0 || before == id) return slot;
    }
  }
  return 0;
}
static __always_inline void* find_slot(void* slots, __u32 bits, __u32 slot_bytes, __u64 id) {
  return find_slot_in(slots, bits, SLOT_PROBES, slot_bytes, id);
}

#endif
