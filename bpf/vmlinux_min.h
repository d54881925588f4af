// The few kernel types that our programs use, written by hand.
//
// Names must be those of the kernel; layouts need not: libbpf relocates every access using the BTF of the
// running kernel (CO-RE). If the kernel lacks one of these fields, loading the program fails and its
// collector reports that. This file is empty for user space.
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

enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_LRU_HASH = 9, BPF_MAP_TYPE_SK_STORAGE = 24 };
enum { BPF_F_NO_PREALLOC = 1U << 0, BPF_F_MMAPABLE = 1U << 10 };
enum { BPF_ANY = 0 };
enum { BPF_SK_STORAGE_GET_F_CREATE = 1 };

// Bits of the state of a task_struct (include/linux/sched.h).
enum { TASK_UNINTERRUPTIBLE = 0x2, TASK_DEAD = 0x80, TASK_NOLOAD = 0x400 };

// A bit of the flags of a task_struct.
enum { PF_KTHREAD = 0x00200000 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

// Cgroups.

struct kernfs_node {
  __u64 id;  // the inode number of the cgroup's directory
};

struct cgroup {
  struct kernfs_node* kn;
};

struct css_set {
  struct cgroup* dfl_cgrp;  // in the hierarchy of cgroup version 2
};

struct cgroup_subsys_state {
  struct cgroup* cgroup;
};

struct task_group {  // of the cpu controller in any hierarchy
  struct cgroup_subsys_state css;
};

// Tasks and the scheduler.

struct rq {
  __u64 clock;  // sched_clock() in ns, updated at the start of most schedule() calls
};

struct cfs_rq {
  struct rq* rq;       // CONFIG_FAIR_GROUP_SCHED
  int throttle_count;  // CONFIG_CFS_BANDWIDTH: how many of it and those above it have used up their quota
};

struct sched_entity {
  __u64 sum_exec_runtime;  // total ns on CPUs
  struct cfs_rq* cfs_rq;
};

struct sched_info {  // CONFIG_SCHED_INFO; times are values of rq->clock
  __u64 last_arrival;
  __u64 last_queued;
};

typedef struct {
  int counter;
} atomic_t;

struct signal_struct {
  atomic_t live;  // threads that have not started to exit
  int group_exit_code;
};

struct task_struct {
  int pid;  // of the thread, in the initial pid namespace; 0 is the idle task of a CPU
  int tgid;
  unsigned int flags;
  int exit_code;
  struct sched_entity se;
  struct sched_info sched_info;
  struct task_group* sched_task_group;
  struct css_set* cgroups;
  struct signal_struct* signal;
};

// Block devices.

struct gendisk {
  int major;
  int first_minor;
};

struct request_queue {
  struct gendisk* disk;
};

struct request {
  struct request_queue* q;
  unsigned int cmd_flags;  // the low 8 bits: enum req_op
  unsigned int __data_len;
  __u64 start_time_ns;     // when it was created; ktime
  __u64 io_start_time_ns;  // when the driver accepted it; 0 if unknown
};

// Network.

struct ns_common {
  unsigned int inum;  // the inode number of /proc/<pid>/ns/net
};

struct net {
  struct ns_common ns;
};

typedef struct {
  struct net* net;
} possible_net_t;

struct net_device {
  int ifindex;
  possible_net_t nd_net;
};

struct sock_common {
  unsigned short skc_family;
  volatile unsigned char skc_state;
};

struct sock_cgroup_data {
  struct cgroup* cgroup;  // of version 2: the one of the task that made the socket
};

// A connection that is not there yet, or not any more, has only __sk_common.
struct sock {
  struct sock_common __sk_common;
  __u16 sk_protocol;
  struct sock_cgroup_data sk_cgrp_data;
};

struct sk_buff {
  unsigned int len;
  struct net_device* dev;
  struct sock* sk;
};

struct tcp_sock {
  __u32 srtt_us;  // smoothed round trip time, times 8
  __u32 mdev_us;  // its mean deviation, times 4
};

#pragma clang attribute pop

#endif
