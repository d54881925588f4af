// Lines with exemplars (proto/exemplar.h), which are no samples:
//
//   $x <name> <unix milliseconds> <value> <label>=<value> ...
#pragma once

#include <string>
#include <string_view>

#include "proto/added_tags.h"
#include "proto/batch.h"
#include "proto/exemplar.h"

namespace statmill {

// Without its name, a line is not longer: each byte of the labels may be an escape.
inline constexpr size_t kExemplarLineBytesMax = 64 + 3 * kExemplarLabelBytesMax;

// Returns whether an exact line is one with an exemplar.
inline bool is_exemplar_line(std::string_view line) {
  return line.starts_with("$x") && (line.size() == 2 || line[2] == ' ' || line[2] == '\t');
}

// Parses one line without its LF, and adds one exemplar or one refusal to `batch`. The name gets the tags of
// `added` that it does not have itself. PROTOCOL.md has the grammar. Requires: is_exemplar_line(line). `line`
// must stay valid until batch.clear().
void parse_exemplar_line(std::string_view line, const AddedTags& added, Batch& batch);

// Appends the line of an exemplar, LF included. Requires: it is one of a batch.
void append_exemplar_line(std::string& out, const Exemplar& exemplar);

}  // namespace statmill
