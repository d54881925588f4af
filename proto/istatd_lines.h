// The line protocol of port 8111: istatd's grammar, whole (proto/PROTOCOL.md). Pure: bytes in, samples and
// counts out; no clock, no log, no state between calls.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

inline constexpr size_t kFanOutMax = 64;  // names of one caret line

// Parses one line (no LF; CR and other white space around fields are skipped) and adds what it says to
// `batch`: samples, metadata, or one refusal. Empty lines add nothing. `line` must outlive the batch's use.
void parse_istatd_line(std::string_view line, Batch& batch);

// Parses every line of `bytes`; a last line without LF is taken as a line (a datagram ends its own line).
void parse_istatd_lines(std::string_view bytes, Batch& batch);

// Whether the bytes of `name` are already as istatd's listener stores them.
bool is_normal_name(std::string_view name);

// Lower-cases, and turns bytes below 33 or above 126 and / : \ " ' into '_', as istatd's listener does.
std::string normal_name(std::string_view name);

}  // namespace statmill
