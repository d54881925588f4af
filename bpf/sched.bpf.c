// Scheduler: how long tasks wait for a CPU, run on it and stay off it, and the totals per cgroup, from one
// hook.
//
// sched_switch fires after the kernel has chosen `next`, but before it updates sched_info of either task. So
// the kernel's own timestamps (rq->clock) still show when `next` was queued and when `prev` started to run.
// This needs no wakeup probe and no map of tasks, and reads a clock only where rq->clock is stale. The idle
// tasks (pid 0) are skipped.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/sched.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(sched_banks, struct sched_bank);

const volatile struct sched_settings settings;

// When tasks left their CPU and why, in slots indexed by the low bits of the pid. A slot has the pid's high
// bits (pids have at most 22 bits), two bits of the reason (enum sched_reason) and 54 bits of rq->clock (208
// days, compared modulo). It is one word, so tasks that share a slot cannot leave a mix of two values; the
// last one wins. 0: unknown.
#define SLOT_BITS 14
#define CLOCK_BITS 54
#define CLOCK_MASK ((1ULL << CLOCK_BITS) - 1)
#define REASON_BITS 2
#define REASON_MASK ((1ULL << REASON_BITS) - 1)
__u64 left_cpu_at[1 << SLOT_BITS];

// In ns. Calibration reads ktime (which takes 40 ns) at most once in this time per CPU.
#define CALIBRATION_SPAN (4 * 1000 * 1000)

// Returns the cgroup of a task. Most tasks of the root cgroup are in task groups made by autogrouping, which
// have no cgroup; reading through that null pointer yields 0.
static __always_inline __u64 cgroup_of(struct task_struct* task) {
  if (settings.has_default_hierarchy) return task->cgroups->dfl_cgrp->kn->id;
  const __u64 id = task->sched_task_group->css.cgroup->kn->id;
  return id ? id : settings.root_cgroup;
}

static __always_inline struct sched_cgroup* cgroup_slot(struct sched_bank* bank, __u64 id) {
  if (id == 0) return 0;
  struct sched_cgroup* slot =
      find_slot(bank->cgroups, SCHED_CGROUP_SLOT_BITS, sizeof(struct sched_cgroup), id);
  if (!slot) ++bank->cgroups_missed;
  return slot;
}

// Estimates how far ktime is ahead of rq->clock. That is the smallest difference seen, since every delay
// between the two reads only increases it. The estimate may rise by 1/4096 of the elapsed time, which is more
// than the clocks drift apart (NTP slews by at most 1/2000, usually about 1/50000); so a delayed reading
// moves it by at most 1 us.
static __always_inline void calibrate(struct sched_bank* bank, __u64 clock) {
  const __s64 elapsed = (__s64)(clock - bank->calibrated_at);
  if (elapsed < CALIBRATION_SPAN) return;
  const __s64 ahead = (__s64)(bpf_ktime_get_ns() - clock);
  const __s64 most = bank->ktime_ahead + (elapsed >> 12);
  bank->ktime_ahead = bank->calibrated_at == 0 || ahead < most ? ahead : most;
  bank->calibrated_at = clock;
}

// Returns whether a quota keeps the task off the CPUs.
static __always_inline bool is_throttled(struct task_struct* task) {
  return bpf_core_field_exists(struct cfs_rq, throttle_count) && task->se.cfs_rq->throttle_count > 0;
}

static __always_inline void count_preemption(struct sched_cgroup* cgroup, struct task_struct* prev,
                                             struct task_struct* next) {
  if (next->pid == 0 || is_throttled(prev)) return;
  const __u64 id = cgroup_of(next);
  if (next->flags & PF_KTHREAD) {
    ++cgroup->preempted[SCHED_BY_SYSTEM];
  } else if (id == cgroup->id) {
    ++cgroup->preempted[SCHED_BY_SAME];
  } else if (id == settings.root_cgroup) {
    ++cgroup->preempted[SCHED_BY_SYSTEM];
  } else {
    ++cgroup->preempted[SCHED_BY_OTHER];
  }
}

static __always_inline void leave(struct sched_bank* bank, struct task_struct* prev, struct task_struct* next,
                                  __u64 clock, enum sched_reason reason) {
  if (reason == SCHED_PREEMPTED) {
    ++bank->switches_involuntary;
  } else {
    ++bank->switches_voluntary;
  }
  const __u64 arrived = prev->sched_info.last_arrival;
  if (arrived == 0 || clock < arrived) {
    ++bank->discarded;
  } else {
    h2_record(&bank->on_cpu, clock - arrived);
    struct sched_cgroup* cgroup = cgroup_slot(bank, cgroup_of(prev));
    if (cgroup) {
      ++cgroup->switches;
      if (reason == SCHED_PREEMPTED) count_preemption(cgroup, prev, next);
    }
  }
}

static __always_inline void remember(struct task_struct* prev, __u64 clock, enum sched_reason reason,
                                     bool dead) {
  const __u32 pid = prev->pid;
  const __u64 owner = (__u64)(pid >> SLOT_BITS) << REASON_BITS | reason;
  // The pid of a dead task may be reused by another task, which has not left a CPU yet.
  left_cpu_at[pid & ((1 << SLOT_BITS) - 1)] = dead ? 0 : owner << CLOCK_BITS | (clock & CLOCK_MASK);
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
    // After a wakeup that preempts, the kernel skips its clock update: rq->clock is still the time of
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
  if (cgroup) {
    cgroup->runqueue_wait_ns += wait;
    h2_small_record(&cgroup->runqueue_waits, wait);
  }
}

// Compares modulo 2^54 ns, as left_cpu_at stores the clock.
static __always_inline bool is_before(__u64 a, __u64 b) {
  return ((b - a) & CLOCK_MASK) - 1 < CLOCK_MASK / 2;
}

static __always_inline void record_off_cpu(struct sched_bank* bank, struct task_struct* next, __u64 clock) {
  const __u32 pid = next->pid;
  const __u64 left = left_cpu_at[pid & ((1 << SLOT_BITS) - 1)];
  if (left == 0) return;  // a new task, or one that has been asleep since before the programs were loaded
  // If it left before it last arrived, the tracepoint has missed a switch.
  if (left >> (CLOCK_BITS + REASON_BITS) != pid >> SLOT_BITS ||
      is_before(left, next->sched_info.last_arrival) || is_before(clock, left)) {
    ++bank->discarded;
    return;
  }
  const enum sched_reason reason = left >> CLOCK_BITS & REASON_MASK;
  struct h2_cells* cells = &bank->off_cpu_sleep;
  if (reason == SCHED_PREEMPTED) cells = &bank->off_cpu_preempted;
  if (reason == SCHED_DISK) cells = &bank->off_cpu_disk;
  h2_record(cells, (clock - left) & CLOCK_MASK);
}

// `state` is that of a task that leaves its CPU. Voluntary or not as the kernel counts it in nvcsw and
// nivcsw.
static __always_inline enum sched_reason reason_of(bool preempt, unsigned int state) {
  if (preempt || !state) return SCHED_PREEMPTED;
  // Idle kernel threads sleep where no signal wakes them, too; TASK_NOLOAD marks them.
  return (state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD) ? SCHED_DISK : SCHED_SLEEP;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct* prev, struct task_struct* next,
             unsigned int prev_state) {
  struct sched_bank* bank = OWN_BANK(sched_banks);
  if (!bank) return 0;
  const __u64 clock = (next->pid ? next : prev)->se.cfs_rq->rq->clock;
  if (prev->pid) {
    const enum sched_reason reason = reason_of(preempt, prev_state);
    leave(bank, prev, next, clock, reason);
    remember(prev, clock, reason, prev_state & TASK_DEAD);
  }
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
