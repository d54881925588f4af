// TLB flushes: how often, why, and how many pages of translations a CPU discarded. x86 only.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/tlb.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(tlb_banks, struct tlb_bank);

#define WHOLE_ADDRESS_SPACE (~0UL)

SEC("tp_btf/tlb_flush")
int BPF_PROG(tlb_flush, unsigned int reason, unsigned long pages) {
  struct tlb_bank* bank = OWN_BANK(tlb_banks);
  if (!bank) return 0;
  const __u64 index = at_most(reason, TLB_REASONS - 1);
  ++bank->flushes[index];
  if (pages != WHOLE_ADDRESS_SPACE) bank->pages[index] += pages;
  return 0;
}
