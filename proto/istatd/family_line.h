// Lines about families, which are metadata and not samples:
//
//   $m <kind letter> <path> <unit or -> <help to the end of the line>
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/batch.h"
#include "proto/family.h"

namespace statmill {

// Returns whether an exact line is one about a family.
inline bool is_family_line(std::string_view line) {
  return line.starts_with("$m") && (line.size() == 2 || line[2] == ' ' || line[2] == '\t');
}

// How a door reads paths: as it reads the names of its plain lines.
enum class PathRule : uint8_t {
  kFold,  // as istatd does (proto/normal_name.h), then canonically
  kKeep,  // canonically: no byte is folded
};

// Parses one line without its LF and adds one family or one refusal to `batch`. PROTOCOL.md has the grammar.
// Requires: is_family_line(line). `line` must stay valid until batch.clear().
void parse_family_line(std::string_view line, PathRule rule, Batch& batch);

// Appends the line of a family, LF included. Requires: check_family() accepts it.
void append_family_line(std::string& out, const FamilyText& family);

}  // namespace statmill
