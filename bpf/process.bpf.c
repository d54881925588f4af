// Processes: how many start a thread, execute another program and end, how they end, and the CPU time they
// used.
#include "bpf/vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/banks.h"
#include "bpf/kernel_quirks.h"
#include "bpf/process.h"

char program_license[] SEC("license") = "Dual MIT/GPL";

BANKS(process_banks, struct process_bank);

SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_fork, struct task_struct* parent, struct task_struct* child) {
  struct process_bank* bank = OWN_BANK(process_banks);
  if (bank && child->pid != child->tgid) ++bank->threads;
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec) {
  struct process_bank* bank = OWN_BANK(process_banks);
  if (bank) ++bank->execs;
  return 0;
}

SEC("tp_btf/sched_process_exit")
int process_exit(__u64* arguments) {
  struct process_bank* bank = OWN_BANK(process_banks);
  if (!bank) return 0;
  struct task_struct* task = (struct task_struct*)arguments[0];
  const bool is_last = HAS_GROUP_DEAD ? (bool)arguments[1] : task->signal->live.counter == 0;
  if (!is_last) return 0;
  // As in wait(2): the signal is in the low 7 bits, the status in the bits from 8 on.
  const int of_group = task->signal->group_exit_code;
  const int code = of_group ? of_group : task->exit_code;
  if (code & 0x7f) {
    ++bank->exits_killed;
  } else if (code) {
    ++bank->exits_failed;
  } else {
    ++bank->exits_ok;
  }
  return 0;
}

// The kernel frees a task after its last turn on a CPU, so its time is complete here. At sched_process_exit
// the time to take down its memory is still missing, which is long for a process with much of it.
SEC("tp_btf/sched_process_free")
int BPF_PROG(process_free, struct task_struct* task) {
  struct process_bank* bank = OWN_BANK(process_banks);
  if (bank) bank->exited_cpu_ns += task->se.sum_exec_runtime;
  return 0;
}
