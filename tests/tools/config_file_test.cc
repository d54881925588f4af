// etc/statmilld.conf and etc/statmill-agent.conf list every setting with its true default.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "agent/config.h"
#include "server/config.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

struct Program {
  const char* file;
  std::vector<Setting> (*settings)();  // for a config that lives as long as they do
};

template <class Config, std::vector<Setting> (*kSettings)(Config&)>
std::vector<Setting> settings_of() {
  const auto config = std::make_shared<Config>();
  std::vector<Setting> settings = kSettings(*config);
  for (Setting& setting : settings)
    setting.apply = [config, apply = setting.apply](const std::string& value) { return apply(value); };
  return settings;
}

constexpr Program kPrograms[] = {{"statmilld.conf", settings_of<ServerConfig, server_settings>},
                                 {"statmill-agent.conf", settings_of<AgentConfig, agent_settings>}};

std::string path_of(const Program& program) {
  return std::string(STATMILL_SOURCE_TREE "/etc/") + program.file;
}

// Returns the file's settings with every commented-out `#key = value` enabled.
std::string uncommented(const Program& program) {
  std::string out;
  std::ifstream file(path_of(program));
  for (std::string line; std::getline(file, line);) {
    const bool is_setting = line.starts_with('#') && line.size() > 1 && line[1] != ' ';
    if (is_setting || line.starts_with('[')) out.append(line, is_setting ? 1 : 0).append("\n");
  }
  return out;
}

// Reads `text` as the config file and returns each setting's value.
std::map<std::string, std::string> values_of(const Program& program, const std::string& text,
                                             bool with_defaults) {
  std::vector<Setting> settings = program.settings();
  std::map<std::string, std::string> values;
  for (Setting& setting : settings) {
    if (!with_defaults) setting.default_value = "(missing)";
    setting.apply = [&values, name = setting.name](const std::string& value) {
      values[name] = value;
      return Status::ok();
    };
  }
  const TempDirectory directory;
  const std::string path = directory.write(program.file, text).string();
  const std::array<const char*, 2> arguments = {"--config", path.c_str()};
  const Result<SettingsAction> action = apply_settings(settings, {arguments, {}});
  EXPECT_TRUE(action.has_value()) << action.error().message;
  return values;
}

class DefaultConfigFile : public testing::TestWithParam<Program> {};

TEST_P(DefaultConfigFile, NamesEverySettingWithItsDefault) {
  const Program& program = GetParam();
  EXPECT_EQ(values_of(program, uncommented(program), false), values_of(program, "", true));
}

// A list has no default; the file has examples of its values, `#   key = value`.
TEST_P(DefaultConfigFile, HasExamplesOfEveryListThatParse) {
  const Program& program = GetParam();
  std::string text;
  std::ifstream file(path_of(program));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('[')) text += line + "\n";
    if (line.starts_with("#   ")) text += line.substr(4) + "\n";
  }
  const TempDirectory directory;
  const std::string path = directory.write(program.file, text).string();
  std::map<std::string, int> examples;
  std::vector<Setting> settings = program.settings();
  for (Setting& setting : settings) {
    if (!setting.is_list) continue;
    examples[setting.name] = 0;
    setting.apply = [&examples, name = setting.name, apply = setting.apply](const std::string& value) {
      ++examples[name];
      return apply(value);
    };
  }
  const std::array<const char*, 2> arguments = {"--config", path.c_str()};
  const Result<SettingsAction> action = apply_settings(settings, {arguments, {}});
  EXPECT_TRUE(action.has_value()) << action.error().message;
  for (const auto& [name, count] : examples) EXPECT_GT(count, 0) << name;
}

TEST_P(DefaultConfigFile, ChangesNoSettingUnedited) {
  const Program& program = GetParam();
  std::ifstream file(path_of(program));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(values_of(program, text, true), values_of(program, "", true));
}

INSTANTIATE_TEST_SUITE_P(Of, DefaultConfigFile, testing::ValuesIn(kPrograms),
                         [](const auto& program) { return program.index == 0 ? "Server" : "Agent"; });

}  // namespace
}  // namespace statmill
