// Parser for Graphite's plaintext protocol, `path[;tag=value...] value [timestamp]` (proto/PROTOCOL.md), as
// carbon 1.1.7 reads it. Pure: bytes in, samples and counts out; no clock, no log, no state between calls.
#pragma once

#include <string_view>

#include "proto/batch.h"

namespace statmill {

// Parses one line without its LF; skips CR and other white space around fields. Adds one gauge sample or one
// refusal to `batch`; nothing if the line is empty. `line` must stay valid until batch.clear().
void parse_graphite_line(std::string_view line, Batch& batch);

// Parses all lines of `bytes`. The last line needs no LF, since the end of a datagram also ends its line.
void parse_graphite_lines(std::string_view bytes, Batch& batch);

}  // namespace statmill
