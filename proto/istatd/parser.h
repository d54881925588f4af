// The line protocol of port 8111: istatd's grammar, whole (proto/PROTOCOL.md). Pure: bytes in, samples and
// counts out; no clock, no log, no state between calls.
#pragma once

#include <cstddef>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

inline constexpr size_t kFanOutMax = 64;  // names of one caret line

// Parses one line (no LF; CR and other white space around fields are skipped) and adds what it says to
// `batch`: samples, metadata, or one refusal. Empty lines add nothing. `line` must outlive the batch's use.
void parse_istatd_line(std::string_view line, Batch& batch);

// Parses every line of `bytes`; a last line without LF is taken as a line (a datagram ends its own line).
void parse_istatd_lines(std::string_view bytes, Batch& batch);

}  // namespace statmill
