// Interrupts: how long their handlers and the softirqs after them take.
//
// The arguments of these hooks are only numbers, so the same programs also work at raw tracepoints, without
// BTF.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/interrupts.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(interrupts_banks, struct interrupts_bank);

// Defines a program and its twin for the raw tracepoint.
#define AT_BOTH(place, program, handler)                       \
  SEC("tp_btf/" #place)                                        \
  int program(__u64* arguments) { return handler(arguments); } \
  SEC("raw_tp/" #place)                                        \
  int program##_raw(__u64* arguments) { return handler(arguments); }

static __always_inline int softirq_begins(__u64* arguments) {
  struct interrupts_bank* bank = OWN_BANK(interrupts_banks);
  if (bank) bank->softirq_began = bpf_ktime_get_ns();
  return 0;
}

static __always_inline int softirq_ends(__u64* arguments) {
  struct interrupts_bank* bank = OWN_BANK(interrupts_banks);
  const __u32 vector = arguments[0];
  if (!bank || vector >= SOFTIRQ_VECTORS) return 0;
  if (bank->softirq_began) {
    h2_record(&bank->softirq[vector], bpf_ktime_get_ns() - bank->softirq_began);
  } else {
    ++bank->discarded;
  }
  bank->softirq_began = 0;
  return 0;
}

static __always_inline int irq_begins(__u64* arguments) {
  struct interrupts_bank* bank = OWN_BANK(interrupts_banks);
  if (bank) bank->irq_began = bpf_ktime_get_ns();
  return 0;
}

static __always_inline int irq_ends(__u64* arguments) {
  struct interrupts_bank* bank = OWN_BANK(interrupts_banks);
  if (!bank) return 0;
  if (!bank->irq_began) {
    ++bank->irq_discarded;
    return 0;
  }
  const __u64 ns = bpf_ktime_get_ns() - bank->irq_began;
  bank->irq_began = 0;
  bank->irq_ns[at_most((__u32)arguments[0], IRQ_SLOTS - 1)] += ns;
  h2_record(&bank->irq, ns);
  return 0;
}

AT_BOTH(softirq_entry, softirq_entry, softirq_begins)
AT_BOTH(softirq_exit, softirq_exit, softirq_ends)
AT_BOTH(irq_handler_entry, irq_entry, irq_begins)
AT_BOTH(irq_handler_exit, irq_exit, irq_ends)
