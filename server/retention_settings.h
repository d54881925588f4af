// Reads the retention that the settings of the server name at present.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/settings.h"
#include "storage/retention.h"

namespace statmill {

// Values that take the place of those of the settings, by the name of the setting.
using InsteadValues = std::map<std::string, std::vector<std::string>, std::less<>>;

// Returns true for the settings of which the retention is made.
bool is_of_retention(std::string_view setting);

// Reads the settings, as a reload does, and returns their retention. Errors: those of apply_settings(); also
// a value in `instead` that is not valid.
Result<Retention> read_retention(const SettingsInput& input, const InsteadValues& instead);

}  // namespace statmill
