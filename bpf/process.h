// What the programs of processes' lives (process.bpf.c) count, on each CPU.
#pragma once

#ifndef __bpf__
#include <linux/types.h>
#endif

struct process_bank {
  __u64 forks;    // new processes
  __u64 threads;  // new threads of processes that there were
  __u64 execs;
  __u64 exits_ok;       // processes that ended with status 0
  __u64 exits_failed;   // with another status
  __u64 exits_killed;   // by a signal
  __u64 exited_cpu_ns;  // of all threads that ended, since they began
  __u64 reserved;
};
