// Reads bytes as the sources of settings: command line and environment, a line for each word, then an empty
// line and the config file. Each setting is applied once with the value of one source, or the faults are
// reported as text. The settings of the server are refused, or are within their bounds.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/settings.h"
#include "base/text.h"
#include "server/config.h"
#include "tests/fuzz/cost_bound.h"
#include "tests/fuzz/memory_file.h"

namespace statmill {
namespace {

struct Sources {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
};

Sources sources_of(std::string_view text, const MemoryFile& file) {
  Sources out;
  const size_t end = text.find("\n\n");
  for (const std::string_view line : split(text.substr(0, end), '\n')) {
    const size_t equals = line.find('=');
    if (line.starts_with("STATMILL_") && equals != std::string_view::npos) {
      out.environment.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    } else {
      // argv has no NUL. No word names another file than ours.
      std::string word(line.substr(0, line.find('\0')));
      if (!word.starts_with("--config") && word != "/") out.words.push_back(std::move(word));
    }
  }
  std::erase_if(out.environment, [](const auto& entry) { return entry.first == "STATMILL_CONFIG"; });
  if (end != std::string_view::npos) {
    file.write(text.substr(end + 2));
    out.environment.emplace_back("STATMILL_CONFIG", file.path());
  }
  return out;
}

Result<SettingsAction> applied_by(const std::vector<Setting>& settings, const Sources& sources) {
  std::vector<const char*> arguments;
  for (const std::string& word : sources.words) arguments.push_back(word.c_str());
  auto result = apply_settings(settings, {arguments, sources.environment});
  if (!result) SM_CHECK(result.error().code == ErrorCode::kInvalid && !result.error().message.empty());
  return result;
}

void check_small(const Sources& sources) {
  std::map<std::string, int> applied;
  const auto count = [&applied](const char* name) {
    return [&applied, name](const std::string&) {
      ++applied[name];
      return Status::ok();
    };
  };
  const auto result = applied_by({{"a.text", "TEXT", "x", "", count("text"), false},
                                  {"a.flag", "", "false", "", count("flag"), false},
                                  {"a.list", "TEXT", "", "", count("list"), true}},
                                 sources);
  if (result && *result == SettingsAction::kRun) SM_CHECK(applied["text"] == 1 && applied["flag"] == 1);
}

void check_server(const Sources& sources) {
  ServerConfig config;
  const auto result = applied_by(server_settings(config), sources);
  if (!result || *result != SettingsAction::kRun) return;
  SM_CHECK(config.http.connections_max > 0 && config.http.header_timeout > Duration(0));
  SM_CHECK(config.tick_interval > Duration(0) && config.http_threads > 0);
  SM_CHECK(config.limits.series_max > 0 && !config.store.path.empty());
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  static const MemoryFile file;
  const CostBound bound(size);
  const Sources sources = sources_of({reinterpret_cast<const char*>(data), size}, file);
  check_small(sources);
  check_server(sources);
  return 0;
}
