// Tests which changed settings the log names.
#include "server/setting_changes.h"

#include <gtest/gtest.h>

#include <array>

#include "server/config.h"

namespace statmill {
namespace {

SettingValues values_of(std::initializer_list<const char*> arguments) {
  ServerConfig config;
  SettingValues values;
  const std::vector<const char*> list(arguments);
  const auto applied = apply_settings(recorded(server_settings(config), values), {list, {}});
  EXPECT_TRUE(applied) << applied.error().message;
  return values;
}

// Without their times.
std::string lines_of(SettingChanges& changes, const SettingValues& values,
                     RetentionReload retention = RetentionReload::kInUse) {
  Log log({LogLevel::kInfo, LogFormat::kLogfmtLines});
  testing::internal::CaptureStderr();
  changes.note(values, retention, log);
  std::string out;
  std::string all = testing::internal::GetCapturedStderr();
  for (size_t end; (end = all.find('\n')) != std::string::npos; all.erase(0, end + 1))
    out += all.substr(all.find("level="), end + 1 - all.find("level="));
  return out;
}

TEST(SettingChanges, ValuesHaveDefaultsAndLists) {
  const SettingValues values = values_of({"--line.deny", "10.0.0.1", "--line.deny", "10.0.0.2"});
  EXPECT_EQ(values.at("line.deny"), "10.0.0.1, 10.0.0.2");
  EXPECT_EQ(values.at("line.allow"), "");
  EXPECT_EQ(values.at("tick"), "250ms");
}

TEST(SettingChanges, NothingIsSaidOfWhatStays) {
  SettingChanges changes(values_of({}));
  EXPECT_EQ(lines_of(changes, values_of({"--tick", "250ms"})), "");
}

TEST(SettingChanges, WhatAReloadChangesIsInUse) {
  SettingChanges changes(values_of({}));
  const SettingValues values = values_of({"--log.level", "debug", "--http.allow", "10.0.0.0/8"});
  EXPECT_EQ(lines_of(changes, values),
            "level=info msg=\"setting changed\" setting=http.allow before=\"\" now=10.0.0.0/8\n"
            "level=info msg=\"setting changed\" setting=log.level before=info now=debug\n");
  EXPECT_EQ(lines_of(changes, values), "");
}

TEST(SettingChanges, WhatNeedsARestartIsNamedUntilThen) {
  SettingChanges changes(values_of({}));
  const SettingValues values = values_of({"--tick", "1s", "--limits.series", "7"});
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(lines_of(changes, values),
              "level=warn msg=\"settings changed that need a restart\" settings=\"limits.series, tick\"\n");
}

TEST(SettingChanges, TheRetentionIsInUseOrNeedsARestart) {
  SettingChanges changes(values_of({"--retention.rule", "a 10s:1d"}));
  const SettingValues values =
      values_of({"--retention", "10s:2d,5m:1y,1h:6y", "--retention.rule", "b 10s:1d"});
  EXPECT_EQ(
      lines_of(changes, values, RetentionReload::kNeedsRestart),
      "level=warn msg=\"settings changed that need a restart\" settings=\"retention, retention.rule\"\n");
  EXPECT_EQ(
      lines_of(changes, values),
      "level=info msg=\"setting changed\" setting=retention before=10s:10d,5m:1y,1h:6y "
      "now=10s:2d,5m:1y,1h:6y\n"
      "level=info msg=\"setting changed\" setting=retention.rule before=\"a 10s:1d\" now=\"b 10s:1d\"\n");
  EXPECT_EQ(lines_of(changes, values), "");
}

// Else SIGHUP would say that a setting is in use that no longer exists.
TEST(SettingChanges, EachReloadedSettingExists) {
  size_t count = 0;
  ServerConfig config;
  for (const Setting& setting : server_settings(config)) count += is_reloaded(setting.name) ? 1U : 0U;
  EXPECT_EQ(count, 10U);
}

}  // namespace
}  // namespace statmill
