// What the programs of page faults (faults.bpf.c) count, on each CPU.
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

struct faults_bank {
  __u64 user;    // in user space
  __u64 kernel;  // while the kernel read or wrote for a program
  __u64 reserved[6];
};
