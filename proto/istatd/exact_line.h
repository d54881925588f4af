// Exact lines: what a relay says where the words of the line protocol would lose something: names that are to
// be stored as they stand, and buckets of distributions with their squares, extremes and cells.
#pragma once

#include <string_view>

#include "proto/batch.h"

namespace statmill {

inline constexpr char kExactMark = '$';

// The letter behind the mark, which says the kind.
constexpr char exact_letter(Kind kind) {
  if (kind == Kind::kEvent) return 'e';
  return kind == Kind::kDistribution ? 'd' : 'g';
}

// Takes one line that begins with the mark, or refuses it; LF is not part of it. PROTOCOL.md has the grammar.
void parse_exact_line(std::string_view line, Batch& batch);

}  // namespace statmill
