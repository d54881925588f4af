// Scheduler probe: how long tasks wait for a CPU, stay on it and stay off it, and whose they are, from one
// hook.
//
// sched_switch fires after the kernel chose `next` but before it updates either task's sched_info, so the
// kernel's own stamps (rq->clock) still say when `next` was queued and when `prev` started: no wakeup probe,
// no per-task map, and a clock read only where rq->clock is stale. The idle tasks (pid 0) are not tasks:
// skipped.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/sched.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(sched_banks, struct sched_bank);

const volatile struct sched_settings settings;

// When a task left its CPU, in the slot of its pid's low bits: the pid's high bits (pids have at most 22)
// over 56 bits of rq->clock (834 days, compared modulo). One word, so that tasks that share a slot cannot
// tear it; the later one takes it over. 0: nothing known.
#define SLOT_BITS 14
#define CLOCK_BITS 56
#define CLOCK_MASK ((1ULL << CLOCK_BITS) - 1)
__u64 left_cpu_at[1 << SLOT_BITS];

// Calibration reads ktime (40 ns) at most once in this span per CPU, in ns.
#define CALIBRATION_SPAN (4 * 1000 * 1000)

// Tasks of the root are mostly in task groups that autogrouping made, which have no cgroup: what is read
// behind that null pointer is 0.
static __always_inline __u64 cgroup_of(struct task_struct* task) {
  if (settings.has_default_hierarchy) return task->cgroups->dfl_cgrp->kn->id;
  const __u64 id = task->sched_task_group->css.cgroup->kn->id;
  return id ? id : settings.root_cgroup;
}

// The slot of a cgroup, made if there is none; null: there is no room.
static __always_inline struct sched_cgroup* cgroup_slot(struct sched_bank* bank, __u64 id) {
  if (id == 0) return 0;
  const __u64 home = id * 0x9E3779B97F4A7C15ULL >> (64 - SCHED_CGROUP_SLOT_BITS);
  for (__u32 i = 0; i < SCHED_CGROUP_PROBES; ++i) {
    struct sched_cgroup* slot = &bank->cgroups[(home + i) & (SCHED_CGROUP_SLOTS - 1)];
    if (slot->id == id) return slot;
    if (slot->id == 0) {
      slot->id = id;
      return slot;
    }
  }
  ++bank->cgroups_missed;
  return 0;
}

// Learns how far ktime is ahead of rq->clock: the smallest difference seen, since every delay between the two
// reads only adds to it. It may rise by 1/4096 of the time passed, more than clocks drift apart (NTP slews
// 1/2000 at worst, some 1/50000 in practice), so one delayed reading moves it by 1 us at most.
static __always_inline void calibrate(struct sched_bank* bank, __u64 clock) {
  const __s64 elapsed = (__s64)(clock - bank->calibrated_at);
  if (elapsed < CALIBRATION_SPAN) return;
  const __s64 ahead = (__s64)(bpf_ktime_get_ns() - clock);
  const __s64 most = bank->ktime_ahead + (elapsed >> 12);
  bank->ktime_ahead = bank->calibrated_at == 0 || ahead < most ? ahead : most;
  bank->calibrated_at = clock;
}

static __always_inline void leave(struct sched_bank* bank, struct task_struct* prev, __u64 clock,
                                  bool voluntary, bool dead) {
  if (voluntary) {
    ++bank->switches_voluntary;
  } else {
    ++bank->switches_involuntary;
  }
  const __u64 arrived = prev->sched_info.last_arrival;
  if (arrived == 0 || clock < arrived) {
    ++bank->discarded;
  } else {
    h2_record(&bank->on_cpu, clock - arrived);
    struct sched_cgroup* cgroup = cgroup_slot(bank, cgroup_of(prev));
    if (cgroup) {
      cgroup->cpu_ns += clock - arrived;
      ++cgroup->switches;
    }
  }
  const __u32 pid = prev->pid;
  const __u64 owner = (__u64)(pid >> SLOT_BITS) << CLOCK_BITS;
  // A dead task's pid may come back as another task, which has left no CPU yet.
  left_cpu_at[pid & ((1 << SLOT_BITS) - 1)] = dead ? 0 : owner | (clock & CLOCK_MASK);
}

static __always_inline void record_runqueue_wait(struct sched_bank* bank, struct task_struct* next,
                                                 __u64 clock) {
  const __u64 queued = next->sched_info.last_queued;
  if (queued == 0 || clock < queued) {
    ++bank->discarded;
    return;
  }
  __s64 wait = (__s64)(clock - queued);
  if (wait != 0) {
    calibrate(bank, clock);
  } else {
    // A wakeup that preempts makes the kernel skip its clock update: rq->clock still is the moment of
    // queueing.
    if (bank->calibrated_at == 0) {
      ++bank->discarded;
      return;
    }
    wait = (__s64)(bpf_ktime_get_ns() - queued) - bank->ktime_ahead;
    if (wait < 0) wait = 0;
  }
  h2_record(&bank->runqueue_wait, wait);
  struct sched_cgroup* cgroup = cgroup_slot(bank, cgroup_of(next));
  if (cgroup) cgroup->runqueue_wait_ns += wait;
}

// Modulo 2^56 ns, as the clock is kept in left_cpu_at.
static __always_inline bool is_before(__u64 a, __u64 b) {
  return ((b - a) & CLOCK_MASK) - 1 < CLOCK_MASK / 2;
}

static __always_inline void record_off_cpu(struct sched_bank* bank, struct task_struct* next, __u64 clock) {
  const __u32 pid = next->pid;
  const __u64 left = left_cpu_at[pid & ((1 << SLOT_BITS) - 1)];
  if (left == 0) return;  // first seen: a new task, or asleep since before the probe came
  // Left before it last arrived: a switch that no tracepoint told us of.
  if (left >> CLOCK_BITS != pid >> SLOT_BITS || is_before(left, next->sched_info.last_arrival) ||
      is_before(clock, left)) {
    ++bank->discarded;
  } else {
    h2_record(&bank->off_cpu, (clock - left) & CLOCK_MASK);
  }
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct* prev, struct task_struct* next,
             unsigned int prev_state) {
  struct sched_bank* bank = OWN_BANK(sched_banks);
  if (!bank) return 0;
  const __u64 clock = (next->pid ? next : prev)->se.cfs_rq->rq->clock;
  // As the kernel counts nvcsw and nivcsw.
  if (prev->pid) leave(bank, prev, clock, !preempt && prev_state, prev_state & TASK_DEAD);
  if (next->pid) {
    record_runqueue_wait(bank, next, clock);
    record_off_cpu(bank, next, clock);
  }
  return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct* task, int to) {
  struct sched_bank* bank = OWN_BANK(sched_banks);
  if (bank) ++bank->migrations;
  return 0;
}
