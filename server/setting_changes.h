// SettingChanges: what SIGHUP finds changed in the settings, and whether that needs a restart.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/settings.h"
#include "server/retention_reload.h"

namespace statmill {

// Values by the name of their setting; those of a list are joined by ", ".
using SettingValues = std::map<std::string, std::string, std::less<>>;

// Returns the settings, which also write their values to `values` when they are applied. `values` must
// outlive them.
std::vector<Setting> recorded(std::vector<Setting> settings, SettingValues& values);

// Confined to one thread.
class SettingChanges {
 public:
  // `values` are those that the server uses.
  explicit SettingChanges(SettingValues values) : used_(std::move(values)) {}

  // Logs what differs from the values in use: a line for each setting that a reload changes, and one line
  // that names all others, which need a restart. The former are in use from now on. The settings of the
  // retention are among them as `retention` says.
  void note(const SettingValues& values, RetentionReload retention, Log& log);

 private:
  SettingValues used_;
};

// Returns true if a reload changes the setting itself, not only what is in the file that it names. One of the
// retention may need a restart nevertheless.
bool is_reloaded(std::string_view setting);

}  // namespace statmill
