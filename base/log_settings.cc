#include "base/log_settings.h"

#include "base/setting_values.h"

namespace statmill {

std::vector<Setting> log_settings(LogOptions& options) {
  return {{"log.level", "LEVEL", "info", "error, warn, info or debug",
           parsed_setting(parse_log_level, [&options](LogLevel level) { options.level = level; })},
          {"log.format", "FORMAT", "text", "text, logfmt or json",
           parsed_setting(parse_log_format, [&options](LogFormat format) { options.format = format; })}};
}

}  // namespace statmill
