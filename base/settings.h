// Settings: the options of a program, parsed with Boost.Program_options.
//
// Each program has one list of settings. A setting is `--section.key VALUE` on the command line,
// `STATMILL_SECTION_KEY` in the environment, and `key` under `[section]` (or `section.key`) in the INI file
// named by --config. The command line overrides the environment, which overrides the file. All faults are
// reported together. A file named as `-FILE` may be missing.
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
  std::string placeholder;    // "DIR" in --help; empty for a flag, which may be given without a value
  std::string default_value;  // shown in --help; parsed like any other value
  std::string help;
  // Parses a value and stores it in the program's config struct. The error says what is wrong with it.
  std::function<Status(const std::string&)> apply;
  // May be given several times (in the environment: one per line). `apply` is called with each value in
  // order; there is no default.
  bool is_list = false;
};

enum class SettingsAction { kRun, kCheckConfig, kShowHelp, kShowVersion };

struct SettingsInput {
  std::span<const char* const> arguments;                        // argv without the program's name
  std::vector<std::pair<std::string, std::string>> environment;  // NAME, value; only STATMILL_* matter
};

// Returns the concatenation of the lists.
std::vector<Setting> joined(std::initializer_list<std::vector<Setting>> lists);

// Parses all sources and calls `apply` once per setting, with the value from the source of highest precedence
// or the default; for a list, once for each value from that source. Errors: kInvalid with one line for each
// fault, including unknown options and keys; kNotFound or kIo if the config file cannot be read. The options
// --config, --check-config, --help and --version always exist.
Result<SettingsAction> apply_settings(std::span<const Setting> settings, const SettingsInput& input);

// Returns a line for each variable STATMILL_... that is none of the settings and of no other program: it may
// be misspelt. It is no fault, because an environment may be made for a later version.
std::vector<std::string> unknown_variables(std::span<const Setting> settings, const SettingsInput& input);

// Returns the --help text of a program.
std::string settings_help(std::string_view usage, std::span<const Setting> settings);

// Returns the STATMILL_* variables of the process environment.
std::vector<std::pair<std::string, std::string>> process_environment();

}  // namespace statmill
