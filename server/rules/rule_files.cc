#include "server/rules/rule_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "server/rules/rule_parser.h"

namespace statmill::rules {
namespace {

namespace fs = std::filesystem;

bool is_rule_file(const fs::path& path) {
  const std::string ending = path.extension();
  return (ending == ".yml" || ending == ".yaml" || ending == ".rules") &&
         !path.filename().string().starts_with('.');
}

size_t rule_count(const RuleFiles::Groups& groups) {
  size_t out = 0;
  for (const auto& group : groups) out += group->rules.size();
  return out;
}

}  // namespace

Result<std::vector<std::string>> rule_files_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> out;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (is_rule_file(at->path()) && !at->is_directory(error)) out.push_back(at->path());
    if (out.size() > kRuleFilesMax)
      return Error{ErrorCode::kLimit,
                   folder + ": more than " + std::to_string(kRuleFilesMax) + " rule files"};
  }
  if (error) return Error{ErrorCode::kIo, folder + ": " + error.message()};
  std::ranges::sort(out);
  return out;
}

Result<std::vector<RuleGroup>> read_rule_file(const std::string& path, const RuleOptions& options) {
  std::error_code error;
  // A pipe would have no end.
  if (!fs::is_regular_file(path, error)) return Error{ErrorCode::kIo, path + ": cannot be read"};
  const auto text = read_file(path, kRuleFileBytesMax);
  if (!text) return Error(text.error()).with(path);
  auto groups = parse_rules(*text, path, options);
  if (!groups) return Error(groups.error()).with(path);
  return groups;
}

bool RuleFiles::refresh() {
  bool has_changed = false;
  for (const std::string& folder : options_.folders) has_changed = refresh_folder(folder) || has_changed;
  return has_changed;
}

bool RuleFiles::refresh_folder(const std::string& folder) {
  auto& files = folders_[folder];
  const auto paths = rule_files_in(folder);
  const std::string fault = paths ? std::string() : paths.error().message;
  std::string& known_fault = folder_faults_[folder];
  if (std::exchange(known_fault, fault) != fault && !fault.empty()) log_.error("rules", {{"error", fault}});
  if (!paths) return false;  // its groups stay
  bool has_changed = false;
  for (auto& [path, file] : files) file.is_present = false;
  for (const std::string& path : *paths) {
    const std::optional<FileVersion> version = file_version(path);
    const auto [at, is_new] = files.try_emplace(path);
    at->second.is_present = true;
    if (!is_new && at->second.version == version) continue;
    at->second.version = version;
    read(path, at->second);
    has_changed = true;
  }
  const auto removed = std::erase_if(files, [](const auto& entry) { return !entry.second.is_present; });
  return has_changed || removed > 0;
}

void RuleFiles::read(const std::string& path, File& file) {
  auto groups = read_rule_file(path, options_);
  file.is_at_fault = !groups;
  if (!groups) return log_.error("rules", {{"error", groups.error().message}});
  file.groups.clear();
  for (RuleGroup& group : *groups) file.groups.push_back(std::make_shared<const RuleGroup>(std::move(group)));
  log_.info("rules", {{"file", path}, {"groups", file.groups.size()}, {"rules", rule_count(file.groups)}});
}

RuleFiles::Groups RuleFiles::groups() const {
  Groups out;
  size_t rules = 0;
  size_t left_out = 0;
  for (const std::string& folder : options_.folders) {
    const auto files = folders_.find(folder);
    if (files == folders_.end()) continue;
    for (const auto& [path, file] : files->second) {
      for (const auto& group : file.groups) {
        if (std::ranges::find(out, group) != out.end()) continue;  // the folder is given twice
        rules += std::max<size_t>(group->rules.size(), 1);
        if (rules > kRulesMax) {
          ++left_out;
        } else {
          out.push_back(group);
        }
      }
    }
  }
  if (left_out > 0)
    log_.error("rules", {{"error", "more than " + std::to_string(kRulesMax) + " rules"},
                         {"groups_left_out", left_out}});
  return out;
}

size_t RuleFiles::faults() const {
  size_t out = 0;
  for (const auto& [folder, fault] : folder_faults_) out += fault.empty() ? size_t{0} : 1;
  for (const auto& [folder, files] : folders_) {
    for (const auto& [path, file] : files) out += file.is_at_fault ? size_t{1} : 0;
  }
  return out;
}

}  // namespace statmill::rules
