// Lines of the demo's samples.
#pragma once

#include <cstdint>
#include <string>

#include "server/demo/demo_world.h"

namespace statmill {

// Appends the line of the samples of one slot or second (proto/istatd/writer.h). Requires: `sample` is not
// empty.
void append_demo_line(std::string& out, const DemoSeries& series, int64_t time_s, const DemoSample& sample);

}  // namespace statmill
