// The counts of page faults per CPU (faults.bpf.c).
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

struct faults_bank {
  __u64 user;    // in user space
  __u64 kernel;  // while the kernel accessed memory of a program
  __u64 reserved[6];
};
