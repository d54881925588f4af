// System calls: counts all of them by class, and times one in 16.
//
// Any program attached here makes every system call leave the kernel's fast path, which costs about 0.1 us.
// That is too expensive for some hosts.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/syscalls.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(syscalls_banks, struct syscalls_bank);

const volatile struct syscalls_settings settings;

// The timed calls in progress, in slots indexed by the low bits of the thread's pid. A slot has the pid's
// high bits, the class and ktime (52 days, compared modulo). It is one word, so threads that share a slot
// cannot leave a mix of two values. 0: none.
#define SLOT_BITS 14
#define CLASS_BITS 4
#define CLOCK_BITS 52
#define CLOCK_MASK ((1ULL << CLOCK_BITS) - 1)
__u64 under_way[1 << SLOT_BITS];

static __always_inline __u64 owner_of(__u32 pid) {
  return (__u64)(pid >> SLOT_BITS) << (CLOCK_BITS + CLASS_BITS);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(syscall_enter, void* registers, long number) {
  struct syscalls_bank* bank = OWN_BANK(syscalls_banks);
  if (!bank) return 0;
  const __u64 class = settings.class_of[at_most(number, SYSCALL_NUMBERS - 1)] % SYSCALL_CLASSES;
  ++bank->counts[class];
  if (++bank->calls % SYSCALL_SAMPLING) return 0;
  const __u32 pid = bpf_get_current_pid_tgid();
  under_way[pid & ((1 << SLOT_BITS) - 1)] =
      owner_of(pid) | class << CLOCK_BITS | (bpf_ktime_get_ns() & CLOCK_MASK);
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(syscall_exit, void* registers, long result) {
  struct syscalls_bank* bank = OWN_BANK(syscalls_banks);
  if (!bank) return 0;
  if (result < 0 && result > -4096) ++bank->errors;
  const __u32 pid = bpf_get_current_pid_tgid();
  __u64* slot = &under_way[pid & ((1 << SLOT_BITS) - 1)];
  const __u64 word = *slot;
  if (word == 0 || word >> (CLOCK_BITS + CLASS_BITS) != pid >> SLOT_BITS) return 0;
  *slot = 0;
  const __u32 class = word >> CLOCK_BITS & (SYSCALL_CLASSES - 1);
  h2_record(&bank->latency_ns[class], (bpf_ktime_get_ns() - word) & CLOCK_MASK);
  return 0;
}
