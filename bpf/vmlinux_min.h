// The few kernel types that our programs touch, written by hand.
//
// Names must be the kernel's; layouts need not be: libbpf relocates every access against the running kernel's
// BTF (CO-RE). A kernel without one of these fields refuses the program, and its collector says so.
// Empty for user space.
#pragma once

#ifdef __bpf__

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u16 __sum16;
typedef __u32 __wsum;
typedef _Bool bool;

enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2 };
enum { BPF_F_MMAPABLE = 1U << 10 };

// Bits of task_struct's state (include/linux/sched.h).
enum { TASK_DEAD = 0x80 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
  __u64 clock;  // sched_clock() in ns, updated at the start of most schedule() calls
};

struct cfs_rq {
  struct rq* rq;  // CONFIG_FAIR_GROUP_SCHED
};

struct sched_entity {
  struct cfs_rq* cfs_rq;
};

struct sched_info {  // CONFIG_SCHED_INFO; times are rq->clock
  __u64 last_arrival;
  __u64 last_queued;
};

struct task_struct {
  int pid;  // of the thread, in the first pid namespace; 0 is each CPU's idle task
  struct sched_entity se;
  struct sched_info sched_info;
};

#pragma clang attribute pop

#endif
