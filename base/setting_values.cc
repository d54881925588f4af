#include "base/setting_values.h"

#include <string_view>

namespace statmill {
namespace {

Error invalid(const std::string& text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + text + "\" " + std::string(why)};
}

}  // namespace

SettingParser text_setting(std::string& out) {
  return [&out](const std::string& text) -> Status {
    out = text;
    return Status::ok();
  };
}

SettingParser flag_setting(bool& out) {
  return [&out](const std::string& text) -> Status {
    if (text != "true" && text != "false") return invalid(text, "is neither true nor false");
    out = text == "true";
    return Status::ok();
  };
}

SettingParser endpoint_setting(Endpoint& out) {
  return parsed_setting(parse_endpoint, [&out](Endpoint e) { out = std::move(e); });
}

SettingParser endpoint_setting(std::optional<Endpoint>& out) {
  return [&out](const std::string& text) -> Status {
    if (text.empty()) {
      out.reset();
      return Status::ok();
    }
    return parsed_setting(parse_endpoint, [&out](Endpoint e) { out = std::move(e); })(text);
  };
}

SettingParser count_setting(size_t& out, int64_t min, int64_t max) {
  return parsed_setting([min, max](const std::string& text) { return parse_integer(text, min, max); },
                        [&out](int64_t n) { out = static_cast<size_t>(n); });
}

SettingParser bytes_setting(size_t& out, uint64_t min, uint64_t max) {
  const auto parse = [min, max](const std::string& text) -> Result<uint64_t> {
    auto bytes = parse_bytes(text);
    if (bytes && *bytes < min) return invalid(text, "is below " + std::to_string(min));
    if (bytes && *bytes > max) return invalid(text, "is over " + std::to_string(max));
    return bytes;
  };
  return parsed_setting(parse, [&out](uint64_t bytes) { out = bytes; });
}

SettingParser duration_setting(Duration& out, Duration min, Duration max) {
  const auto parse = [min, max](const std::string& text) -> Result<Duration> {
    auto duration = parse_duration(text);
    if (duration && (*duration < min || *duration > max)) {
      return invalid(text, "is not in " + format_duration(min) + ".." + format_duration(max));
    }
    return duration;
  };
  return parsed_setting(parse, [&out](Duration duration) { out = duration; });
}

}  // namespace statmill
