// Differences between kernel versions in what our programs read: one line of code and its reason for each.
// CO-RE handles differences in offsets, see vmlinux_min.h. This file is empty for user space.
#pragma once

#ifdef __bpf__

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define KERNEL(major, minor) (((major) << 16) + ((minor) << 8))

extern int LINUX_KERNEL_VERSION __kconfig;  // set by libbpf; known to the verifier

// Since 6.16, sched_process_exit has an argument for the end of the last thread of a process. Before that,
// the programs read the number of live threads, which two threads that end simultaneously may both see as 0.
#define HAS_GROUP_DEAD (LINUX_KERNEL_VERSION >= KERNEL(6, 16))

// Since 6.11, kfree_skb has an argument for the socket that was to receive the packet.
#define HAS_RECEIVING_SOCKET (LINUX_KERNEL_VERSION >= KERNEL(6, 11))

#endif
