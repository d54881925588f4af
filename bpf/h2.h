// The H2 histogram's index, shared by the probes (C, verified by the kernel) and user space (C++).
//
// 2^H2_GROUPING_POWER buckets per power of two: a bucket is at most 1/8 of its values wide, and every value
// below 16 has its own. Two shifts and a base-two logarithm, no search.
#pragma once

#ifndef __bpf__  // there, vmlinux_min.h comes first
#include <linux/types.h>
#endif

#define H2_GROUPING_POWER 3
#define H2_BUCKETS 496  // ((63 - 3) << 3) + 16: covers all of 64 bits

// Floor of the base-two logarithm. Requires: v > 0. BPF has no instruction for it.
static inline __u32 h2_log2(__u64 v) {
  __u32 power = 0;
  for (__u32 step = 32; step > 0; step >>= 1) {
    const __u32 shift = (v >> step) != 0 ? step : 0;
    v >>= shift;
    power += shift;
  }
  return power;
}

// The bucket of a value: in [0, H2_BUCKETS).
static inline __u32 h2_index(__u64 v) {
  const __u32 above = h2_log2(v | (1U << H2_GROUPING_POWER)) - H2_GROUPING_POWER;
  return (above << H2_GROUPING_POWER) + (__u32)(v >> above);
}

// The largest value that a bucket holds. Requires: index < H2_BUCKETS.
static inline __u64 h2_bucket_last(__u32 index) {
  const __u32 group = index >> H2_GROUPING_POWER;
  const __u32 above = group > 0 ? group - 1 : 0;
  const __u64 first = (__u64)(index - (above << H2_GROUPING_POWER)) << above;
  return first + (((__u64)1 << above) - 1);
}
