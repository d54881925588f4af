// What the scheduler probe (sched.bpf.c) writes and the agent reads: one bank of plain 64-bit cells per CPU.
//
// A bank is written only by the probe on its own CPU, which neither nests nor migrates, so adds are plain;
// readers load cell by cell through mmap. Cells only grow while the probe is loaded.
#pragma once

#include "bpf/h2.h"

// Times in ns. Cell i of a histogram counts the values with h2_index(value) == i.
struct sched_bank {
  __u64 runqueue_wait[H2_BUCKETS];  // from runnable to running
  __u64 off_cpu[H2_BUCKETS];        // from leaving a CPU to running again: sleep and wait
  __u64 on_cpu[H2_BUCKETS];         // from running to leaving the CPU
  __u64 switches_voluntary;         // the task slept
  __u64 switches_involuntary;       // the task was preempted or yielded
  __u64 discarded;  // measurements lost: no start time, a clock that ran backwards, a slot taken over
  // The probe's own: clock correction of this CPU.
  __s64 ktime_ahead;    // bpf_ktime_get_ns() - rq->clock, as seen at the fastest
  __u64 calibrated_at;  // rq->clock; 0: never
  __u64 reserved[3];    // a bank fills whole cache lines: CPUs do not disturb each other
};

#ifdef __cplusplus
static_assert(sizeof(sched_bank) == (3 * H2_BUCKETS + 8) * 8 && sizeof(sched_bank) % 64 == 0);
#endif
