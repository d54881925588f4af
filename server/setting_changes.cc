#include "server/setting_changes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/retention_settings.h"

namespace statmill {

std::vector<Setting> recorded(std::vector<Setting> settings, SettingValues& values) {
  for (Setting& setting : settings) {
    values[setting.name];  // a list may have no value
    setting.apply = [&values, name = setting.name,
                     apply = std::move(setting.apply)](const std::string& value) {
      std::string& text = values[name];
      text.append(text.empty() ? "" : ", ").append(value);
      return apply(value);
    };
  }
  return settings;
}

bool is_reloaded(std::string_view setting) {
  constexpr std::array<std::string_view, 7> kReloaded = {
      "agent.allow", "agent.deny", "http.allow", "http.deny", "line.allow", "line.deny", "log.level"};
  if (is_of_retention(setting)) return true;
  return std::find(kReloaded.begin(), kReloaded.end(), setting) != kReloaded.end();
}

void SettingChanges::note(const SettingValues& values, RetentionReload retention, Log& log) {
  std::string waiting;
  for (const auto& [name, value] : values) {
    std::string& used = used_[name];
    if (used == value) continue;
    const bool waits = is_of_retention(name) && retention == RetentionReload::kNeedsRestart;
    if (is_reloaded(name) && !waits) {
      log.info("setting changed", {{"setting", name}, {"before", used}, {"now", value}});
      used = value;
    } else {
      waiting.append(waiting.empty() ? "" : ", ").append(name);
    }
  }
  if (!waiting.empty()) log.warn("settings changed that need a restart", {{"settings", waiting}});
}

}  // namespace statmill
