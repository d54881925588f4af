// One add to this CPU's cell, on x86-64: a restartable sequence (rseq(2), on the registration of glibc 2.35
// and later).
//
// The kernel lets a thread that it has taken from its CPU, or given a signal, within the sequence begin it
// anew at the abort address; so between reading the CPU's number and the add, which commits, nobody else runs
// there, and a plain add is enough, which takes a third of an atomic one.
#pragma once

#include <sys/rseq.h>

#include <cstdint>

#include "statmill/rseq_descriptor.h"

namespace statmill::cells {

// Adds to `cell` of this CPU: the address of CPU 0's plus the number of the CPU shifted. False, and nothing
// is done: the thread is not registered with the kernel. Async-signal-safe.
template <unsigned kShift>
[[gnu::always_inline]] inline bool add_on_this_cpu(uint64_t* cell, uint64_t n) noexcept {
  // struct rseq: cpu_id at 4, rseq_cs at 8. The four bytes before the abort address must be the signature
  // (here the operand of an instruction that traps).
  asm goto volatile(STATMILL_RSEQ_DESCRIPTOR
                    ".pushsection __rseq_failure, \"ax?\"\n"
                    "  .byte 0x0f, 0xb9, 0x3d\n"
                    "  .long %c[signature]\n"
                    "4: jmp 3f\n"
                    ".popsection\n"
                    "3: leaq 9b(%%rip), %%rax\n"
                    "  movq %%rax, %%fs:8(%[rseq])\n"
                    "1: movl %%fs:4(%[rseq]), %%eax\n"
                    "  testl %%eax, %%eax\n"
                    "  js %l[unregistered]\n"
                    "  shlq %[shift], %%rax\n"
                    "  addq %[n], (%[cell], %%rax)\n"
                    "2:\n"
                    :
                    : [rseq] "r"(__rseq_offset), [n] "er"(n), [cell] "r"(cell), [shift] "i"(kShift),
                      [signature] "i"(RSEQ_SIG)
                    : "rax", "memory", "cc"
                    : unregistered);
  return true;
unregistered:
  return false;
}

}  // namespace statmill::cells
