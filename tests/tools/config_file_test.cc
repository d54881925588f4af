// etc/statmilld.conf tells the truth: every setting there is, each with its default.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "server/config.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

// The settings of the file, each commented-out `#key = value` as if it were not.
std::string uncommented() {
  std::string out;
  std::ifstream file(STATMILL_SOURCE_TREE "/etc/statmilld.conf");
  for (std::string line; std::getline(file, line);) {
    const bool is_setting = line.starts_with('#') && line.size() > 1 && line[1] != ' ';
    if (is_setting || line.starts_with('[')) out.append(line, is_setting ? 1 : 0).append("\n");
  }
  return out;
}

// Reads `text` as the config file; gives each setting's value.
std::map<std::string, std::string> values_of(const std::string& text, bool with_defaults) {
  ServerConfig config;
  std::vector<Setting> settings = server_settings(config);
  std::map<std::string, std::string> values;
  for (Setting& setting : settings) {
    if (!with_defaults) setting.default_value = "(missing)";
    setting.take = [&values, name = setting.name](const std::string& value) {
      values[name] = value;
      return Status::ok();
    };
  }
  const TempDirectory directory;
  const std::string path = directory.write("statmilld.conf", text).string();
  const std::array<const char*, 2> arguments = {"--config", path.c_str()};
  const Result<SettingsAction> action = apply_settings(settings, {arguments, {}});
  EXPECT_TRUE(action.has_value()) << action.error().message;
  return values;
}

TEST(DefaultConfigFile, NamesEverySettingWithItsDefault) {
  EXPECT_EQ(values_of(uncommented(), false), values_of("", true));
}

// A list has no default; the file shows it by examples, `#   key = value`.
TEST(DefaultConfigFile, GivesExamplesOfEveryListThatCanBeTaken) {
  std::string text;
  std::ifstream file(STATMILL_SOURCE_TREE "/etc/statmilld.conf");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('[')) text += line + "\n";
    if (line.starts_with("#   ")) text += line.substr(4) + "\n";
  }
  const TempDirectory directory;
  const std::string path = directory.write("statmilld.conf", text).string();
  ServerConfig config;
  std::map<std::string, int> examples;
  std::vector<Setting> settings = server_settings(config);
  for (Setting& setting : settings) {
    if (!setting.is_list) continue;
    examples[setting.name] = 0;
    setting.take = [&examples, name = setting.name, take = setting.take](const std::string& value) {
      ++examples[name];
      return take(value);
    };
  }
  const std::array<const char*, 2> arguments = {"--config", path.c_str()};
  const Result<SettingsAction> action = apply_settings(settings, {arguments, {}});
  EXPECT_TRUE(action.has_value()) << action.error().message;
  for (const auto& [name, count] : examples) EXPECT_GT(count, 0) << name;
}

TEST(DefaultConfigFile, ChangesNothingAsItStands) {
  std::ifstream file(STATMILL_SOURCE_TREE "/etc/statmilld.conf");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(values_of(text, true), values_of("", true));
}

}  // namespace
}  // namespace statmill
