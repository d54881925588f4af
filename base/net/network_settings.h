// The settings of who may use a port.
#pragma once

#include <string>
#include <vector>

#include "base/net/network_filter.h"
#include "base/settings.h"

namespace statmill {

// Returns --LISTENER.allow and --LISTENER.deny. `ports` says what they are for: "the port for agents". They
// set `lists`, which must outlive them.
std::vector<Setting> network_settings(const std::string& listener, const std::string& ports,
                                      NetworkLists& lists);

}  // namespace statmill
