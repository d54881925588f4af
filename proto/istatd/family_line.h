// Lines about families, which are metadata and not samples:
//
//   $m <kind letter> <path> <unit or -> <help to the end of the line>
#pragma once

#include <string>
#include <string_view>

#include "proto/batch.h"
#include "proto/family.h"

namespace statmill {

// Returns whether an exact line is one about a family.
inline bool is_family_line(std::string_view line) {
  return line.starts_with("$m") && (line.size() == 2 || line[2] == ' ' || line[2] == '\t');
}

// Parses one line without its LF and adds one family or one refusal to `batch`. PROTOCOL.md has the grammar.
// Requires: is_family_line(line). `line` must stay valid until batch.clear().
void parse_family_line(std::string_view line, Batch& batch);

// Appends the line of a family, LF included. Requires: check_family() accepts it.
void append_family_line(std::string& out, const FamilyText& family);

}  // namespace statmill
