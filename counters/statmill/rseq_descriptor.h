// What the kernel is told of a restartable sequence: the assembly that each of them begins with.
#pragma once

// struct rseq_cs: version, flags, start (label 1, ahead), length (up to 2), abort address (4, ahead). It is
// label 9, behind. The second section is where debuggers look. "?": where the function around is one of many
// copies, the sections go with it.
#define STATMILL_RSEQ_DESCRIPTOR                \
  ".pushsection __rseq_cs, \"aw?\"\n"           \
  "  .balign 32\n"                              \
  "9: .long 0, 0\n"                             \
  "  .quad 1f, 2f - 1f, 4f\n"                   \
  ".popsection\n"                               \
  ".pushsection __rseq_cs_ptr_array, \"aw?\"\n" \
  "  .quad 9b\n"                                \
  ".popsection\n"
