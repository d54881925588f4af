// Parser for the line protocol of port 8111, which includes all of istatd's grammar (proto/PROTOCOL.md).
// Pure: bytes in, samples and counts out; no clock, no log, no state between calls.
#pragma once

#include <cstddef>
#include <string_view>

#include "proto/added_tags.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr size_t kFanOutMax = 64;             // names per line with carets
inline constexpr size_t kFanOutBytesMax = 16 << 10;  // of all of them together

// Parse lines at istatd's own door, the line port: names are folded as istatd does (proto/normal_name.h),
// then spelled canonically. The names of exact lines are not folded.
//
// Parses one line without its LF; skips CR and other white space around fields. Adds samples, metadata or one
// refusal to `batch`; nothing if the line is empty. `line` must stay valid until batch.clear().
void parse_istatd_line(std::string_view line, Batch& batch);
// Parses all lines of `bytes`. The last line needs no LF, since the end of a datagram also ends its line.
void parse_istatd_lines(std::string_view bytes, Batch& batch);

// The same for all other doors: a name is `path;tag=value;...` in any spelling, and no byte of it is folded.
// Each name gets the tags of `added` that it does not have itself.
void parse_canonical_line(std::string_view line, const AddedTags& added, Batch& batch);
void parse_canonical_lines(std::string_view bytes, const AddedTags& added, Batch& batch);

}  // namespace statmill
