// The descriptor by which the kernel knows a restartable sequence: the assembly that each of them begins
// with.
#pragma once

// A struct rseq_cs (label 9): version, flags, start address (label 1 ahead), length (up to label 2), abort
// address (label 4 ahead). The second section lets debuggers find it. The flag "?" puts both sections into
// the section group of the function around them, so that they disappear with its duplicates.
#define STATMILL_RSEQ_DESCRIPTOR                \
  ".pushsection __rseq_cs, \"aw?\"\n"           \
  "  .balign 32\n"                              \
  "9: .long 0, 0\n"                             \
  "  .quad 1f, 2f - 1f, 4f\n"                   \
  ".popsection\n"                               \
  ".pushsection __rseq_cs_ptr_array, \"aw?\"\n" \
  "  .quad 9b\n"                                \
  ".popsection\n"
