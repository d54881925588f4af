// Fast parser for the common statsd line: a plain path, a short number and a type, perhaps a rate and tags.
// It scans each byte once or twice, sixteen at a time. statsd/parser.cc defines what a line means; this
// parser must return the same samples.
#pragma once

#include "proto/statsd/parser.h"

namespace statmill {

// Adds the samples of the line at `begin` to the batch and returns the begin of the next line.
// Returns nullptr and does nothing if the line is not of the common form, would be refused, or is
// near the end of the text. Requires: begin < end.
const char* parse_statsd_line_fast(const char* begin, const char* end, StatsdBatch& batch);

}  // namespace statmill
