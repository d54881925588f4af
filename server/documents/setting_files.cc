#include "server/documents/setting_files.h"

#include <algorithm>

#include "server/documents/json_fields.h"
#include "server/json.h"

namespace statmill {
namespace {

// The body of a row: {"KEY":"TEXT",...}.
std::string body_of(const SettingFiles::Settings& settings) {
  std::string out;
  {
    JsonObject object(out);
    for (const auto& [key, text] : settings) object.text(key, text);
  }
  return out;
}

Error invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

}  // namespace

Status check_setting_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  if (!name.empty() && name.size() <= kSettingNameBytesMax && std::ranges::all_of(name, is_allowed))
    return Status::ok();
  return invalid("invalid settings name");
}

Status check_setting_key(std::string_view key) {
  constexpr std::string_view kForbidden = " \r\n\t\b\\/:;*?\"'%()[]{}~$^#=+-";
  if (key.empty()) return invalid("a key of settings is empty");
  const size_t at = key.find_first_of(kForbidden);
  if (at == std::string_view::npos) return Status::ok();
  return invalid("the key \"" + std::string(key) + "\" has a character that keys of settings cannot have");
}

SettingFiles::SettingFiles(const SettingLimits& limits, DocumentChanges& changes, Registry& registry)
    : limits_(limits),
      changes_(changes),
      refused_(registry.counter("statmill.settings_refused",
                                "Changes of istatd's settings that exceed a limit.")) {
  registry.gauge_fn("statmill.setting_files", "Files of istatd's settings.", {},
                    [this] { return static_cast<double>(size()); });
  registry.gauge_fn("statmill.setting_bytes", "Bytes of istatd's settings.", {},
                    [this] { return static_cast<double>(bytes()); });
}

bool SettingFiles::restore(const DocumentRow& row) {
  const auto object = parse_json_object(row.body);
  if (!object || !check_setting_name(row.key.id)) return false;
  File file;
  for (const auto& [key, value] : *object) {
    if (!value.is_string()) return false;
    file.settings.emplace(view_of(key), view_of(value.get_string()));
  }
  file.bytes = row.body.size();
  MutexLock lock(mutex_);
  bytes_ += file.bytes;
  files_.insert_or_assign(row.key.id, std::move(file));
  return true;
}

std::optional<SettingFiles::Settings> SettingFiles::get(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto at = files_.find(name);
  if (at == files_.end()) return std::nullopt;
  return at->second.settings;
}

Result<DocumentChanges::Ticket> SettingFiles::set(
    std::string_view name, const std::vector<std::pair<std::string, std::string>>& changes, Timestamp now) {
  if (Status s = check_setting_name(name); !s) return s.error();
  for (const auto& [key, text] : changes) {
    if (Status s = check_setting_key(key); !s) return s.error();
  }
  if (!changes_.has_room())
    return Error{ErrorCode::kUnavailable, "the store takes no ticks; the settings are not changed"};
  const auto refuse = [this](std::string why) {
    refused_.add();
    return Error{ErrorCode::kLimit, std::move(why)};
  };
  MutexLock lock(mutex_);
  const auto at = files_.find(name);
  if (at == files_.end() && files_.size() >= limits_.files_max)
    return refuse("there are " + std::to_string(limits_.files_max) + " files of settings");
  File file = at == files_.end() ? File{} : at->second;
  const size_t before = file.bytes;
  for (const auto& [key, text] : changes) {
    if (text.empty()) {
      file.settings.erase(key);
    } else {
      file.settings.insert_or_assign(key, text);
    }
  }
  std::string body = body_of(file.settings);
  file.bytes = body.size();
  if (file.bytes > limits_.file_bytes_max)
    return refuse("a file of settings has at most " + std::to_string(limits_.file_bytes_max) + " bytes");
  if (bytes_ - before + file.bytes > limits_.bytes_max)
    return refuse("all settings have at most " + std::to_string(limits_.bytes_max) + " bytes");
  bytes_ = bytes_ - before + file.bytes;
  files_.insert_or_assign(std::string(name), std::move(file));
  return changes_.put({{DocumentKind::kSettings, std::string(name)}, now, std::move(body)});
}

size_t SettingFiles::size() const {
  MutexLock lock(mutex_);
  return files_.size();
}

size_t SettingFiles::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace statmill
