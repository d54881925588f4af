// hindsight_settings: the part of the agent's settings that configures recordings.
#pragma once

#include <vector>

#include "agent/recording/hindsight_options.h"
#include "base/settings.h"

namespace statmill {

// Returns the settings that fill the options, which must outlive them; all but `hindsight.fast`, whose names
// only the list of collectors can check.
std::vector<Setting> hindsight_settings(HindsightOptions& hindsight, RecordOptions& record);

}  // namespace statmill
