// What the scheduler's programs (sched.bpf.c) write and the agent reads: one bank of plain 64-bit cells per
// CPU.
//
// A cell is written only by one program on its own CPU, which neither nests nor migrates, so adds are plain;
// readers load cell by cell through mmap. Cells only grow while the programs are loaded, but for those of a
// cgroup that is gone: user space empties them for another one.
#pragma once

#include "bpf/h2.h"

#define SCHED_CGROUP_SLOT_BITS 9
#define SCHED_CGROUP_SLOTS (1 << SCHED_CGROUP_SLOT_BITS)
#define SCHED_CGROUP_PROBES 4  // slots that a cgroup may be in, beside each other

// A cgroup may be in more than one slot: its cells are the sum of theirs.
struct sched_cgroup {
  __u64 id;  // the inode number of its directory; 0: the slot is free
  __u64 cpu_ns;
  __u64 runqueue_wait_ns;
  __u64 switches;  // of its tasks, off a CPU
};

// Times in ns.
struct sched_bank {
  struct h2_cells runqueue_wait;  // from runnable to running
  struct h2_cells off_cpu;        // from leaving a CPU to running again: sleep and wait
  struct h2_cells on_cpu;         // from running to leaving the CPU
  __u64 switches_voluntary;       // the task slept
  __u64 switches_involuntary;     // the task was preempted or yielded
  __u64 migrations;               // tasks given another CPU; that of whoever moved them counts
  __u64 discarded;       // measurements lost: no start time, a clock that ran backwards, a slot taken over
  __u64 cgroups_missed;  // switches of tasks in cgroups that found no slot
  // The program's own: clock correction of this CPU.
  __s64 ktime_ahead;    // bpf_ktime_get_ns() - rq->clock, as seen at the fastest
  __u64 calibrated_at;  // rq->clock; 0: never
  __u64 reserved[3];    // a bank fills whole cache lines: CPUs do not disturb each other
  struct sched_cgroup cgroups[SCHED_CGROUP_SLOTS];
};

// What user space decides before the programs are loaded.
struct sched_settings {
  __u64 root_cgroup;            // the inode number of its directory
  __u32 has_default_hierarchy;  // cgroups are those of version 2; else those of version 1's cpu controller
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(sched_bank) % 64 == 0);
#endif
