// The counts of system calls per CPU (syscalls.bpf.c).
#pragma once

#include "bpf/h2.h"

#define SYSCALL_NUMBERS 512
#define SYSCALL_CLASSES 16
#define SYSCALL_SAMPLING 16  // one in 16 calls is timed

struct syscalls_bank {
  struct h2_cells latency_ns[SYSCALL_CLASSES];  // of the timed calls
  __u64 counts[SYSCALL_CLASSES];                // of all calls
  __u64 errors;                                 // calls that returned an error
  __u64 calls;                                  // used by the program only
  __u64 reserved[6];
};

// Constants that user space sets before it loads the programs.
struct syscalls_settings {
  __u8 class_of[SYSCALL_NUMBERS];  // by system call number; the last one is for all invalid or higher numbers
};

#ifdef __cplusplus
static_assert(sizeof(syscalls_bank) % 64 == 0);
#endif
