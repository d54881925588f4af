// The routes of istatd's settings: GET and POST of /?s=NAME and /istatd/?s=NAME (docs/istatd.md).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/documents/setting_files.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kSettingBodyBytesMax = size_t{1} << 20;

// Parses {"KEY":"TEXT",...}. Numbers and booleans become texts. Errors: kInvalid, in istatd's words.
Result<std::vector<std::pair<std::string, std::string>>> parse_settings(std::string_view body);

// All must outlive the routes.
std::vector<Route> setting_routes(SettingFiles& files, const WriteAnswers& writes, const Clock& clock);

}  // namespace statmill
