// Graphite's plaintext protocol, `path[;tag=value...] value [timestamp]` (proto/PROTOCOL.md), as carbon 1.1.7
// takes it. Pure: bytes in, samples and counts out; no clock, no log, no state between calls.
#pragma once

#include <string_view>

#include "proto/batch.h"

namespace statmill {

// Parses one line (no LF; CR and other white space around fields are skipped) and adds what it says to
// `batch`: one gauge sample or one refusal; an empty line adds nothing. `line` must outlive the batch's use.
void parse_graphite_line(std::string_view line, Batch& batch);

// Parses every line of `bytes`; a last line without LF is taken as a line (a datagram ends its own line).
void parse_graphite_lines(std::string_view bytes, Batch& batch);

}  // namespace statmill
