// Draws the state of `statmill top` as a screen. Pure.
#pragma once

#include <string>

#include "tools/statmill/chart/axis.h"
#include "tools/statmill/terminal/screen.h"
#include "tools/statmill/top/state.h"

namespace statmill {

struct ViewContext {
  std::string server;  // its address
  Zone zone;
  bool in_color = true;
};

Screen draw_top(const TopState& state, const TopData& data, const ViewContext& context);

// Draws the list of hosts with its header only, as wide as it needs to be, at most `columns`; for --once.
Screen draw_hosts_once(const TopData& data, int columns, const ViewContext& context);

}  // namespace statmill
