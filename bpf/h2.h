// H2 histograms, used by the eBPF programs (C, verified by the kernel) and by user space (C++).
//
// There are 2^H2_GROUPING_POWER buckets per power of two: a bucket is at most 1/8 of its values wide, and
// every value below 16 has its own. Two shifts and a base-two logarithm find it, without a search.
//
// It is the second copy of the layout in statmill/h2.h, which eBPF programs cannot include: they are in C,
// BPF has no instruction that counts leading zeros, and the kernel must verify every step.
// tests/agent/collectors/h2_test.cc checks that both find the same buckets.
//
// A histogram takes 2448 bytes per CPU. A grouping power of 4 would double that; all of ours together should
// stay below 8 MiB of kernel memory on 16 CPUs.
#pragma once

#ifndef __bpf__  // there, vmlinux_min.h comes first
#include <linux/types.h>
#endif

#define H2_GROUPING_POWER 3
#define H2_MAX_POWER 40  // values >= 2^40 (18 min in ns) count as 2^40 - 1
#define H2_BUCKETS ((H2_MAX_POWER - H2_GROUPING_POWER + 1) << H2_GROUPING_POWER)

// Cell i counts the values with h2_index(value) == i. The cells are written in the order of the fields. So if
// a reader reads `finished`, then the sum, then the counts, and the counts add up to `finished`, it has a
// consistent histogram; otherwise it has met a record in progress. (A CPU with a weaker memory order than
// x86-64 may show a record as finished some nanoseconds early.)
struct h2_cells {
  __u64 counts[H2_BUCKETS];
  __u64 sum;
  __u64 finished;  // number of finished records
};

// A histogram in 272 bytes instead of 2448, for tables with one per cgroup: two buckets per power of two,
// values below 2^32, and counts that begin again at 0 after 2^32 - 1.
#define H2_SMALL_GROUPING_POWER 1
#define H2_SMALL_MAX_POWER 32  // values >= 2^32 (4.3 s in ns) count as 2^32 - 1
#define H2_SMALL_BUCKETS ((H2_SMALL_MAX_POWER - H2_SMALL_GROUPING_POWER + 1) << H2_SMALL_GROUPING_POWER)

struct h2_small_cells {
  __u32 counts[H2_SMALL_BUCKETS];
  __u64 sum;
  __u32 finished;
  __u32 reserved;
};

// Returns the floor of the base-two logarithm. Requires: v > 0. BPF has no instruction for it, and no
// conditional move; a search would be six unpredictable jumps (recording random values took 19 ns with it,
// and takes 2 now). So this sets all bits below the highest one and counts them.
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

static inline __u32 h2_index_of(__u32 grouping_power, __u64 value) {
  const __u32 above = h2_log2(value | (1U << grouping_power)) - grouping_power;
  return (above << grouping_power) + (__u32)(value >> above);
}
// Returns the bucket of a value, in [0, H2_BUCKETS). Requires: value < 2^H2_MAX_POWER.
static inline __u32 h2_index(__u64 value) { return h2_index_of(H2_GROUPING_POWER, value); }
// Returns the bucket of a value, in [0, H2_SMALL_BUCKETS). Requires: value < 2^H2_SMALL_MAX_POWER.
static inline __u32 h2_small_index(__u64 value) { return h2_index_of(H2_SMALL_GROUPING_POWER, value); }

// Prevents the compiler from reordering stores.
#define H2_ORDER() __asm__ __volatile__("" ::: "memory")

// Records a value with plain adds: only one program may write the cells of a CPU.
static inline void h2_record(struct h2_cells* cells, __u64 value) {
  const __u64 most = (1ULL << H2_MAX_POWER) - 1;
  const __u64 kept = value < most ? value : most;
  const __u32 index = h2_index(kept);
  if (index >= H2_BUCKETS) return;  // impossible, but the verifier cannot know
  ++cells->counts[index];
  H2_ORDER();
  cells->sum += kept;
  H2_ORDER();
  ++cells->finished;
}

static inline void h2_small_record(struct h2_small_cells* cells, __u64 value) {
  const __u64 most = (1ULL << H2_SMALL_MAX_POWER) - 1;
  const __u64 kept = value < most ? value : most;
  const __u32 index = h2_small_index(kept);
  if (index >= H2_SMALL_BUCKETS) return;  // as in h2_record()
  ++cells->counts[index];
  H2_ORDER();
  cells->sum += kept;
  H2_ORDER();
  ++cells->finished;
}
