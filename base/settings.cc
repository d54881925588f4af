#include "base/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "base/nearest_word.h"
#include "base/text.h"

namespace statmill {
namespace {

namespace po = boost::program_options;
using Values = std::map<std::string, std::vector<std::string>>;  // by setting, in the order given

std::string environment_name(const std::string& setting) {
  std::string name = "STATMILL_";
  for (const char c : setting) {
    name.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(c))
                                                                    : '_');
  }
  return name;
}

po::options_description describe(std::span<const Setting> settings) {
  po::options_description options;
  for (const Setting& s : settings) {
    auto* value = po::value<std::string>();
    if (s.placeholder.empty()) value->implicit_value("true");
    options.add_options()(s.name.c_str(), value);
  }
  return options;
}

std::vector<std::string_view> names_of(std::span<const Setting> settings) {
  std::vector<std::string_view> names;
  for (const Setting& s : settings) names.emplace_back(s.name);
  return names;
}

// Adds the settings of one source to `values` unless a source of higher precedence has set them. Appends one
// line per fault to `faults`.
void collect(const po::parsed_options& parsed, std::string_view source, std::span<const Setting> settings,
             Values& values, std::string& faults) {
  Values here;
  bool after_unknown = false;  // stray text is then the value of the unknown option
  for (const po::option& o : parsed.options) {
    const bool is_stray = o.string_key.empty();
    if (o.unregistered) {
      const std::string meant = did_you_mean(o.string_key, names_of(settings));
      faults.append(source).append(": unknown setting \"").append(o.string_key).append("\"" + meant + "\n");
    } else if (is_stray && !after_unknown) {
      faults.append(source).append(": unexpected \"").append(o.value.front()).append("\"\n");
    } else if (!is_stray) {
      here[o.string_key].push_back(o.value.empty() ? "true" : o.value.back());
    }
    after_unknown = o.unregistered && o.value.empty();
  }
  values.merge(here);
}

Status read_file(std::string path, const po::options_description& options, std::span<const Setting> settings,
                 Values& values, std::string& faults) {
  const bool may_be_missing = path.starts_with('-');
  if (may_be_missing) path.erase(0, 1);
  errno = 0;
  std::ifstream file(path);
  struct stat info {};
  if (!file || ::stat(path.c_str(), &info) != 0) {
    const int failure = errno;
    if (failure == ENOENT && may_be_missing) return Status::ok();
    return Error{failure == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 "config file " + path + ": " + std::strerror(failure)};
  }
  if (S_ISDIR(info.st_mode)) return Error{ErrorCode::kInvalid, "config file " + path + ": is a directory"};
  try {
    collect(po::parse_config_file(file, options, true), path, settings, values, faults);
  } catch (const po::error& e) {  // thrown by Boost's parser
    faults.append(path).append(": ").append(e.what()).append("\n");
  }
  return Status::ok();
}

void read_environment(const SettingsInput& input, std::span<const Setting> settings, Values& values) {
  for (const Setting& s : settings) {
    const std::string name = environment_name(s.name);
    for (const auto& [key, value] : input.environment) {
      if (key != name) continue;
      const std::vector<std::string_view> lines = split(value, '\n');
      values.emplace(s.name, s.is_list ? std::vector<std::string>(lines.begin(), lines.end())
                                       : std::vector<std::string>{value});
    }
  }
}

// The values for Setting::apply: all values of a list; otherwise the last value or the default.
std::vector<std::string> values_of(const Setting& setting, const Values& values) {
  const auto it = values.find(setting.name);
  if (setting.is_list) return it == values.end() ? std::vector<std::string>() : it->second;
  return {it == values.end() ? setting.default_value : it->second.back()};
}

}  // namespace

std::vector<Setting> joined(std::initializer_list<std::vector<Setting>> lists) {
  std::vector<Setting> all;
  for (const std::vector<Setting>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Result<SettingsAction> apply_settings(std::span<const Setting> settings, const SettingsInput& input) {
  const po::options_description file_options = describe(settings);
  po::options_description options = describe(settings);
  options.add_options()("config", po::value<std::string>())("check-config", "")("help,h", "")("version", "");
  Values values;
  std::string faults;
  std::string config;
  try {
    const std::vector<std::string> arguments(input.arguments.begin(), input.arguments.end());
    namespace style = po::command_line_style;
    const po::parsed_options parsed =
        po::command_line_parser(arguments)
            .options(options)
            .allow_unregistered()
            .style(style::unix_style & ~style::allow_guessing & ~style::allow_sticky)
            .run();
    collect(parsed, "command line", settings, values, faults);
  } catch (const po::error& e) {
    return Error{ErrorCode::kInvalid, std::string("command line: ") + e.what()};
  }
  if (values.contains("help")) return SettingsAction::kShowHelp;
  if (values.contains("version")) return SettingsAction::kShowVersion;
  read_environment(input, settings, values);
  if (const auto it = values.find("config"); it != values.end()) config = it->second.back();
  for (const auto& [key, value] : input.environment) {
    if (key == "STATMILL_CONFIG" && config.empty()) config = value;
  }
  if (!config.empty()) {
    if (Status s = read_file(config, file_options, settings, values, faults); !s) return s.error();
  }
  for (const Setting& s : settings) {
    for (const std::string& value : values_of(s, values)) {
      if (Status applied = s.apply(value); !applied)
        faults.append(s.name).append(": ").append(applied.error().message).append("\n");
    }
  }
  if (!faults.empty()) {
    faults.pop_back();
    return Error{ErrorCode::kInvalid, faults};
  }
  return values.contains("check-config") ? SettingsAction::kCheckConfig : SettingsAction::kRun;
}

std::vector<std::string> unknown_variables(std::span<const Setting> settings, const SettingsInput& input) {
  constexpr std::array<std::string_view, 5> kOthers = {"STATMILL_CONFIG", "STATMILL_URL", "STATMILL_TOKEN",
                                                       "STATMILL_AUTHORITY", "STATMILL_ADMIN_SOCKET"};
  std::vector<std::string> names;
  for (const Setting& s : settings) names.push_back(environment_name(s.name));
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<std::string> out;
  for (const auto& [name, value] : input.environment) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end()) continue;
    out.push_back("environment: unknown setting " + name + did_you_mean(name, known));
  }
  return out;
}

std::string settings_help(std::string_view usage, std::span<const Setting> settings) {
  std::string out(usage);
  out.append(
      "\n\nOptions (also STATMILL_SECTION_KEY in the environment, `key` under [section] in the file):\n");
  const auto line = [&](std::string left, std::string_view right) {
    left.insert(0, "  ");
    if (left.size() < 34) left.resize(34, ' ');
    out.append(left).append("  ").append(right).append("\n");
  };
  line("--config FILE", "read settings from this INI file; --config=-FILE: which may be missing");
  for (const Setting& s : settings) {
    const bool is_flag = s.placeholder.empty();
    line("--" + s.name + (is_flag ? "" : " " + s.placeholder),
         is_flag || s.default_value.empty() ? s.help : s.help + " [" + s.default_value + "]");
  }
  line("--check-config", "only check the settings and the files that they name, and exit");
  line("--help, --version", "print this, or the version, and exit");
  return out;
}

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry(*e);
    const size_t equals = entry.find('=');
    if (entry.starts_with("STATMILL_") && equals != std::string_view::npos) {
      out.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return out;
}

}  // namespace statmill
