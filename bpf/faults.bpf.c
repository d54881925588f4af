// Page faults by origin. The programs run at the first touch of every page, which is too expensive for some
// hosts.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/faults.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(faults_banks, struct faults_bank);

SEC("tp_btf/page_fault_user")
int BPF_PROG(fault_user) {
  struct faults_bank* bank = OWN_BANK(faults_banks);
  if (bank) ++bank->user;
  return 0;
}

SEC("tp_btf/page_fault_kernel")
int BPF_PROG(fault_kernel) {
  struct faults_bank* bank = OWN_BANK(faults_banks);
  if (bank) ++bank->kernel;
  return 0;
}
