// Lines of the demo's samples.
#pragma once

#include <cstdint>
#include <string>

#include "server/demo/demo_world.h"

namespace statmill {

// Appends the line of the samples of one slot (proto/istatd/writer.h). Requires: `sample` is not empty.
void append_demo_line(std::string& out, const DemoSeries& series, int64_t time_s, const DemoSample& sample);

// Reduces the total of an event's slot to what happens in seconds [begin, end) of it. The parts of a slot add
// up to its total. Returns false if nothing happens. Requires: a decimal of scale 0; 0 <= begin <= end <=
// slot_s.
bool keep_part(DemoSample& sample, int64_t begin, int64_t end, int64_t slot_s);

}  // namespace statmill
