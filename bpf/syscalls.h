// What the programs of system calls (syscalls.bpf.c) count, on each CPU.
#pragma once

#include "bpf/h2.h"

#define SYSCALL_NUMBERS 512
#define SYSCALL_CLASSES 16
#define SYSCALL_SAMPLING 16  // of so many calls, one is timed

struct syscalls_bank {
  struct h2_cells latency_ns[SYSCALL_CLASSES];  // of those timed
  __u64 counts[SYSCALL_CLASSES];                // of all
  __u64 errors;                                 // calls that returned -1 and an errno
  __u64 calls;                                  // the program's own
  __u64 reserved[6];
};

// What user space decides before the programs are loaded.
struct syscalls_settings {
  __u8 class_of[SYSCALL_NUMBERS];  // by the number of the call; the last: of all beyond, and of none
};

#ifdef __cplusplus
static_assert(sizeof(syscalls_bank) % 64 == 0);
#endif
