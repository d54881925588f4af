// The counts of the scheduler (sched.bpf.c): one bank of 64-bit cells per CPU.
//
// Each cell is written only by one program on its own CPU, which neither nests nor migrates, so plain adds
// suffice. Readers load single cells through mmap. Cells only grow while the programs are loaded, except
// those of cgroups that no longer exist: user space clears them for reuse.
#pragma once

#include "bpf/h2.h"
#include "bpf/slots.h"

#define SCHED_CGROUP_SLOT_BITS 9
#define SCHED_CGROUP_SLOTS (1 << SCHED_CGROUP_SLOT_BITS)

// Why a task left its CPU. The values 1 to 3 fit into two bits; 0 is unknown.
enum sched_reason { SCHED_PREEMPTED = 1, SCHED_SLEEP, SCHED_DISK };

// Whose task runs after one that was preempted.
enum sched_preempter {
  SCHED_BY_SAME,    // another task of its cgroup
  SCHED_BY_OTHER,   // a task of another cgroup
  SCHED_BY_SYSTEM,  // a kernel thread, or a task of the root cgroup
  SCHED_PREEMPTERS
};

struct sched_cgroup {
  __u64 id;  // the inode number of its directory; 0 if the slot is free
  __u64 runqueue_wait_ns;
  __u64 switches;                        // how often its tasks left a CPU
  __u64 preempted[SCHED_PREEMPTERS];     // involuntarily, by whose task ran next
  struct h2_small_cells runqueue_waits;  // from runnable to running
};

// Times in ns.
struct sched_bank {
  struct h2_cells runqueue_wait;  // from runnable to running
  // From leaving a CPU to running again: the wait for a CPU included.
  struct h2_cells off_cpu_preempted;  // it could have run on
  struct h2_cells off_cpu_sleep;      // it slept
  struct h2_cells off_cpu_disk;       // it slept where no signal wakes it, which is mostly for a disk
  struct h2_cells on_cpu;             // from running to leaving the CPU
  __u64 switches_voluntary;           // the task slept
  __u64 switches_involuntary;         // the task was preempted or yielded
  __u64 migrations;                   // tasks moved to another CPU, counted on the CPU that moved them
  __u64 discarded;       // lost measurements: no start time, a clock that ran backwards, a slot overwritten
  __u64 cgroups_missed;  // switches of tasks in cgroups that found no free slot
  // Used by the program only: the clock correction of this CPU.
  __s64 ktime_ahead;    // bpf_ktime_get_ns() - rq->clock, the smallest difference seen
  __u64 calibrated_at;  // rq->clock; 0: never
  __u64 reserved[7];    // fills the last cache line, so that CPUs do not share it
  struct sched_cgroup cgroups[SCHED_CGROUP_SLOTS];
};

// Constants that user space sets before it loads the programs.
struct sched_settings {
  __u64 root_cgroup;            // the inode number of its directory
  __u32 has_default_hierarchy;  // whether to use cgroups of version 2; else those of the cpu controller of
                                // version 1
  __u32 reserved;
};

#ifdef __cplusplus
static_assert(sizeof(sched_bank) % 64 == 0);
#endif
