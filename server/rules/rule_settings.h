// The settings of rules.
#pragma once

#include <vector>

#include "base/settings.h"
#include "server/rules/rule_options.h"

namespace statmill {

// They set `options`, which must outlive them.
std::vector<Setting> rule_settings(RuleOptions& options);

}  // namespace statmill
