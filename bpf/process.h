// The counts of processes per CPU (process.bpf.c).
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

struct process_bank {
  __u64 threads;  // new threads of existing processes
  __u64 execs;
  __u64 exits_ok;       // processes that ended with status 0
  __u64 exits_failed;   // processes that ended with another status
  __u64 exits_killed;   // processes that a signal killed
  __u64 exited_cpu_ns;  // the total CPU time of all threads that ended and were waited for
  __u64 reserved[2];
};
