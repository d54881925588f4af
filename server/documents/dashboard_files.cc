#include "server/documents/dashboard_files.h"

#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace statmill {
namespace {

namespace fs = std::filesystem;

// Returns a regular file that is not read yet; nullopt for anything else.
std::optional<DashboardFiles::File> unread_file(const fs::path& path) {
  const auto version = file_version(path);
  if (!version || !version->is_regular) return std::nullopt;
  DashboardFiles::File file;
  file.version = *version;
  file.changed = Timestamp(Duration(version->changed_ns / 1'000'000));
  return file;
}

void load(const fs::path& path, DashboardFiles::File& file) {
  file.text = std::make_shared<const std::string>();
  if (file.version.size > static_cast<int64_t>(kDashboardBytesMax)) {
    file.fault = "it has more than " + std::to_string(kDashboardBytesMax) + " bytes";
    return;
  }
  auto text = read_file(path, kDashboardBytesMax);
  if (!text || text->size() > kDashboardBytesMax) {
    file.fault = "it cannot be read";
    return;
  }
  DashboardCheck check = check_dashboard(*text);
  if (!check.faults.empty()) {
    file.fault = check.faults.front().at + " " + check.faults.front().error;
    return;
  }
  file.summary = std::move(check.summary);
  file.text = std::make_shared<const std::string>(*std::move(text));
}

}  // namespace

std::shared_ptr<const DashboardFiles::Files> DashboardFiles::read(SteadyTime now) {
  std::shared_ptr<const Files> known;
  {
    MutexLock lock(mutex_);
    if (folder_.empty() || (is_scanned_ && now < next_scan_)) return files_;
    is_scanned_ = true;
    next_scan_ = now + kInterval;
    known = files_;
  }
  auto files = std::make_shared<const Files>(scan(*known));
  MutexLock lock(mutex_);
  files_ = files;
  return files;
}

DashboardFiles::Files DashboardFiles::scan(const Files& known) const {
  std::map<std::string, fs::path, std::less<>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() != ".json" || !is_dashboard_id(path.stem().native())) continue;
    found.emplace(path.stem().native(), path);
    if (found.size() > kDashboardFilesMax) found.erase(std::prev(found.end()));
  }
  Files files;
  for (const auto& [id, path] : found) {
    std::optional<File> file = unread_file(path);
    if (!file) continue;
    const auto before = known.find(id);
    if (before != known.end() && before->second.version == file->version) {
      files.emplace(id, before->second);
    } else {
      load(path, *file);
      files.emplace(id, *std::move(file));
    }
  }
  return files;
}

}  // namespace statmill
