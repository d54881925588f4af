#include "server/retention_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/config.h"

namespace statmill {

bool is_of_retention(std::string_view setting) {
  constexpr std::array<std::string_view, 3> kNames = {"retention", "retention.host_seconds",
                                                      "retention.rule"};
  return std::ranges::find(kNames, setting) != kNames.end();
}

Result<Retention> read_retention(const SettingsInput& input, const InsteadValues& instead) {
  ServerConfig config;
  std::vector<Setting> settings = server_settings(config);
  for (Setting& setting : settings) {
    const auto found = instead.find(setting.name);
    if (found == instead.end()) continue;
    setting.is_list = false;  // so that it is applied once, whatever the settings have
    setting.apply = [&values = found->second, apply = std::move(setting.apply)](const std::string&) {
      for (const std::string& value : values) {
        if (Status s = apply(value); !s) return s;
      }
      return Status::ok();
    };
  }
  const auto read = apply_settings(settings, input);
  if (!read) return read.error();
  return std::move(config.retention);
}

}  // namespace statmill
