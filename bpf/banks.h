// Banks: the cells of an eBPF program, one bank per CPU, in memory that user space maps.
//
// A cell that only one program writes needs no atomic add: a program is not preempted by itself on its CPU;
// if an event occurs while it runs there, the kernel skips the program (and counts this as missed). So if two
// programs count the same thing, each has a cell of its own. This file is empty for user space.
#pragma once

#ifdef __bpf__

#include <bpf/bpf_helpers.h>

// Defines the map `name` with one `bank_type` per CPU; the loader sets the number. Names end in _banks.
#define BANKS(name, bank_type)         \
  struct {                             \
    __uint(type, BPF_MAP_TYPE_ARRAY);  \
    __uint(map_flags, BPF_F_MMAPABLE); \
    __uint(max_entries, 1);            \
    __type(key, __u32);                \
    __type(value, bank_type);          \
  } name SEC(".maps")

// The bank of the current CPU. Never null, but the verifier cannot know that.
#define OWN_BANK(banks)                               \
  ({                                                  \
    const __u32 own_cpu = bpf_get_smp_processor_id(); \
    bpf_map_lookup_elem(&(banks), &own_cpu);          \
  })

// Returns the smaller value. The assembly makes the verifier see that the register used as an index is
// bounded; without it, the compiler may test one copy and use another.
static __always_inline __u64 at_most(__u64 value, __u64 most) {
  asm volatile("" : "+r"(value));
  return value < most ? value : most;
}

#endif
