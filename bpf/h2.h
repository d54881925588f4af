// H2 histograms, shared by the programs (C, verified by the kernel) and user space (C++).
//
// 2^H2_GROUPING_POWER buckets per power of two: a bucket is at most 1/8 of its values wide, and every value
// below 16 has its own. Two shifts and a base-two logarithm, no search. The layout is statmill/h2.h's.
//
// A histogram is 2448 bytes on each CPU: a power of grouping more doubles that, and all of ours are to stay
// below 8 MiB of kernel memory on 16 CPUs.
#pragma once

#ifndef __bpf__  // there, vmlinux_min.h comes first
#include <linux/types.h>
#endif

#define H2_GROUPING_POWER 3
#define H2_MAX_POWER 40  // values from 2^40 on (18 min, in ns) count as 2^40 - 1
#define H2_BUCKETS ((H2_MAX_POWER - H2_GROUPING_POWER + 1) << H2_GROUPING_POWER)

// Cell i counts the values with h2_index(value) == i. The cells are written in this order, so a reader that
// takes `finished`, then the sum, then the counts has a whole histogram if the counts add up to `finished`,
// and else has met a record halfway. (CPUs that let others see stores in another order than their own, which
// x86-64 does not, may show a record as finished some nanoseconds early.)
struct h2_cells {
  __u64 counts[H2_BUCKETS];
  __u64 sum;
  __u64 finished;  // records
};

// Floor of the base-two logarithm. Requires: v > 0. BPF has no instruction for it, and no conditional move:
// a search would be six jumps that nobody can predict (a record of random values took 19 ns, now 2). So: all
// bits below the highest set, and counted.
static inline __u32 h2_log2(__u64 v) {
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
  v |= v >> 8;
  v |= v >> 16;
  v |= v >> 32;
  v -= v >> 1 & 0x5555555555555555ULL;
  v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
  v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
  return (__u32)(v * 0x0101010101010101ULL >> 56) - 1;
}

// The bucket of a value. Requires: value < 2^H2_MAX_POWER; then it is in [0, H2_BUCKETS).
static inline __u32 h2_index(__u64 value) {
  const __u32 above = h2_log2(value | (1U << H2_GROUPING_POWER)) - H2_GROUPING_POWER;
  return (above << H2_GROUPING_POWER) + (__u32)(value >> above);
}

// Keeps the compiler from storing in another order.
#define H2_ORDER() __asm__ __volatile__("" ::: "memory")

// Plain adds: for cells that one program alone writes, on its own CPU.
static inline void h2_record(struct h2_cells* cells, __u64 value) {
  const __u64 most = (1ULL << H2_MAX_POWER) - 1;
  const __u64 kept = value < most ? value : most;
  const __u32 index = h2_index(kept);
  if (index >= H2_BUCKETS) return;  // never; the verifier cannot know
  ++cells->counts[index];
  H2_ORDER();
  cells->sum += kept;
  H2_ORDER();
  ++cells->finished;
}
