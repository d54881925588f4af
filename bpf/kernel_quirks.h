// Where kernels differ in what our programs read: one line of code and one of reason for each, with the
// kernel's version. All that differs in offsets alone is CO-RE's, see vmlinux_min.h. Empty for user space.
#pragma once

#ifdef __bpf__

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define KERNEL(major, minor) (((major) << 16) + ((minor) << 8))

extern int LINUX_KERNEL_VERSION __kconfig;  // libbpf fills it in; known to the verifier

// sched_process_exit says since 6.16 whether the last thread of its process ends; before, a count has to be
// asked that two threads which end at once may both find at 0.
#define HAS_GROUP_DEAD (LINUX_KERNEL_VERSION >= KERNEL(6, 16))

// tcp_retransmit_skb says since 6.17 whether the segment could be sent; before, it is told of those alone.
#define HAS_RETRANSMIT_ERROR (LINUX_KERNEL_VERSION >= KERNEL(6, 17))

#endif
