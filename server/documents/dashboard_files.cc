#include "server/documents/dashboard_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/file_version.h"

namespace statmill {
namespace {

namespace fs = std::filesystem;

// Returns what identifies the content of a regular file; nullopt for anything else.
std::optional<DashboardFiles::File> stamp_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  DashboardFiles::File file;
  file.modified_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  file.size = static_cast<uint64_t>(info.st_size);
  file.inode = info.st_ino;
  file.changed = Timestamp(Duration(file.modified_ns / 1'000'000));
  return file;
}

bool is_same(const DashboardFiles::File& a, const DashboardFiles::File& b) {
  return a.modified_ns == b.modified_ns && a.size == b.size && a.inode == b.inode;
}

void load(const fs::path& path, DashboardFiles::File& file) {
  file.text = std::make_shared<const std::string>();
  if (file.size > kDashboardBytesMax) {
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
    std::optional<File> file = stamp_of(path);
    if (!file) continue;
    const auto before = known.find(id);
    if (before != known.end() && is_same(before->second, *file)) {
      files.emplace(id, before->second);
    } else {
      load(path, *file);
      files.emplace(id, *std::move(file));
    }
  }
  return files;
}

}  // namespace statmill
