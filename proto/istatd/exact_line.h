// Parser for exact lines. A relay uses them for samples that an ordinary line cannot
// express without loss: names that must be stored unchanged, distribution buckets with their sum of squares,
// extremes and cells, and increments of counters.
#pragma once

#include <optional>
#include <string_view>

#include "proto/added_tags.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr char kExactMark = '$';
// Before the sum of squared deviations from the mean, in place of a sum of squares.
inline constexpr char kDeviationsMark = '~';

// Returns the letter after the mark, which encodes the kind.
constexpr char exact_letter(Kind kind) {
  if (kind == Kind::kEvent) return 'e';
  if (kind == Kind::kCounter) return 'c';
  return kind == Kind::kDistribution ? 'd' : 'g';
}

// Returns the kind of one letter; nullopt for any other text.
std::optional<Kind> kind_of_exact_letter(std::string_view text);

// Parses one line without its LF and adds one sample or one refusal to `batch`. The name gets the tags of
// `added` that it does not have itself. PROTOCOL.md has the grammar.
// Requires: the line begins with kExactMark. `line` must stay valid until batch.clear().
void parse_exact_line(std::string_view line, const AddedTags& added, Batch& batch);

}  // namespace statmill
