// Settings: how each program takes its options, by Boost.Program_options.
//
// One list of options per program; each is `--section.key VALUE` on the command line, `STATMILL_SECTION_KEY`
// in the environment and `key` under `[section]` (or `section.key`) in the INI file named by --config; the
// command line wins over the environment, the environment over the file. Every fault is reported, all
// together.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace statmill {

struct Setting {
  std::string name;           // "store.path"
  std::string placeholder;    // "DIR" in --help; empty for a flag, which alone means "true"
  std::string default_value;  // text, shown in --help; parsed like any other value
  std::string help;
  // Takes the value into the program's config struct; its error names what is wrong with the text.
  std::function<Status(const std::string&)> take;
  // May be given several times (in the environment: a line each), and `take` gets each in order; there is no
  // default.
  bool is_list = false;
};

enum class SettingsAction { kRun, kShowHelp, kShowVersion };

struct SettingsInput {
  std::span<const char* const> arguments;                        // argv without the program's name
  std::vector<std::pair<std::string, std::string>> environment;  // NAME, value; only STATMILL_* is looked at
};

// The lists, one behind the other.
std::vector<Setting> joined(std::initializer_list<std::vector<Setting>> lists);

// Parses all sources and calls `take` once for each setting, with the strongest source's value or the
// default; for a list, once for each of that source's values. Errors: kInvalid with every fault on one line
// each, unknown options and keys included; kNotFound/kIo when the config file cannot be read. Options
// --config, --help and --version are always there.
Result<SettingsAction> apply_settings(std::span<const Setting> settings, const SettingsInput& input);

// The --help text of a program.
std::string settings_help(std::string_view usage, std::span<const Setting> settings);

// The process environment in the form SettingsInput wants.
std::vector<std::pair<std::string, std::string>> process_environment();

}  // namespace statmill
