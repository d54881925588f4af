// Adds to this CPU's cell on aarch64: the same sequence as in rseq_x86_64.h.
//
// Here the add is a load, an add and a store. The store commits; a thread that is interrupted before it
// restarts. It is a store-release, so other threads see a thread's adds in their order, as they do on x86-64.
#pragma once

#include <sys/rseq.h>

#include <cstdint>

#include "statmill/rseq_descriptor.h"

namespace statmill::cells {

// See rseq_x86_64.h.
template <unsigned kShift>
[[gnu::always_inline]] inline bool add_on_this_cpu(uint64_t* cell, uint64_t n) noexcept {
  char* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  uint64_t descriptor;
  uint64_t cpu;
  uint64_t value;
  // In g++ 12, asm goto cannot have outputs on the path of a label, so a flag reports success instead.
  uint64_t done;
  asm volatile(
      STATMILL_RSEQ_DESCRIPTOR
      "  b 3f\n"
      "  .inst %c[signature]\n"
      "4: b 3f\n"
      "3: mov %[done], #0\n"
      "  adrp %[descriptor], 9b\n"
      "  add %[descriptor], %[descriptor], :lo12:9b\n"
      "  str %[descriptor], [%[area], #8]\n"
      "1: ldr %w[cpu], [%[area], #4]\n"
      "  tbnz %w[cpu], #31, 5f\n"
      "  add %[cpu], %[cell], %[cpu], lsl %[shift]\n"
      "  ldr %[value], [%[cpu]]\n"
      "  add %[value], %[value], %[n]\n"
      "  mov %[done], #1\n"
      "  stlr %[value], [%[cpu]]\n"
      "2:\n"
      "5:\n"
      : [descriptor] "=&r"(descriptor), [cpu] "=&r"(cpu), [value] "=&r"(value), [done] "=&r"(done)
      : [area] "r"(area), [n] "r"(n), [cell] "r"(cell), [shift] "i"(kShift), [signature] "i"(RSEQ_SIG)
      : "memory");
  return done != 0;
}

}  // namespace statmill::cells
