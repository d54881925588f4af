// Banks: how a program keeps its cells, one bank of each CPU, in memory that user space maps.
//
// A cell that one program alone writes needs no atomic add: a program runs with its CPU to itself, and an
// event that comes while it runs there is not given to it (the kernel counts those: missed). Whatever two
// programs write has to be a cell of each. Empty for user space.
#pragma once

#ifdef __bpf__

#include <bpf/bpf_helpers.h>

// The map `name` of one `type` for each CPU; the loader knows how many there are. Its name ends in _banks.
#define BANKS(name, bank_type)         \
  struct {                             \
    __uint(type, BPF_MAP_TYPE_ARRAY);  \
    __uint(map_flags, BPF_F_MMAPABLE); \
    __uint(max_entries, 1);            \
    __type(key, __u32);                \
    __type(value, bank_type);          \
  } name SEC(".maps")

// That of the CPU we run on. Never null, which the verifier cannot know.
#define OWN_BANK(banks)                               \
  ({                                                  \
    const __u32 own_cpu = bpf_get_smp_processor_id(); \
    bpf_map_lookup_elem(&(banks), &own_cpu);          \
  })

// The lesser of the two, so that the verifier knows the register that goes on as an index to be bounded: left
// alone, the compiler may test one copy and use another.
static __always_inline __u64 at_most(__u64 value, __u64 most) {
  asm volatile("" : "+r"(value));
  return value < most ? value : most;
}

#endif
