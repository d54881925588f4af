// Lines of statsd as nearly all are: a plain path, a short number and a type, perhaps a rate and tags. Each
// of their bytes is looked at once or twice, sixteen at a time. What a line means is for statsd_lines.cc to
// say; this is the same meaning on a shorter road.
#pragma once

#include "proto/statsd/parser.h"

namespace statmill {

// Adds the line to the batch and gives what follows it. Null, and nothing is done, where it is a line of
// another kind, or one that would be refused, or stands near the end of the text. Requires: begin < end.
const char* take_usual_statsd_line(const char* begin, const char* end, StatsdBatch& batch);

}  // namespace statmill
