#include "ingest/scrape/target_files.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

namespace statmill {

TargetFiles::TargetFiles(const ScrapeOptions& options, Log& log) : options_(options), log_(log) {
  for (const std::string& path : options.files) {
    File& file = files_.emplace_back();
    file.path = path;
    file.job = std::filesystem::path(path).stem();
  }
}

bool TargetFiles::refresh() {
  bool has_changed = false;
  for (File& file : files_) {
    const std::optional<FileVersion> version = file_version(file.path);
    if (file.is_known && version == file.version) continue;
    file.is_known = true;
    file.version = version;
    has_changed = true;
    const Status read_well = read(file);
    file.is_at_fault = !read_well;
    if (read_well) {
      log_.info("targets to scrape", {{"file", file.path}, {"targets", file.targets.size()}});
    } else {
      log_.error("targets to scrape", {{"file", file.path}, {"error", read_well.error().message}});
    }
  }
  return has_changed;
}

std::vector<ScrapeTarget> TargetFiles::targets() const {
  std::vector<ScrapeTarget> out;
  std::set<std::string> keys;
  for (const File& file : files_) {
    for (const ScrapeTarget& target : file.targets) {
      if (out.size() < kScrapeTargetsMax && keys.insert(target.key()).second) out.push_back(target);
    }
  }
  return out;
}

size_t TargetFiles::faults() const {
  return static_cast<size_t>(
      std::count_if(files_.begin(), files_.end(), [](const File& file) { return file.is_at_fault; }));
}

Status TargetFiles::read(File& file) const {
  if (!file.version) return Error{ErrorCode::kNotFound, "there is no such file"};
  if (file.version->size > static_cast<int64_t>(kScrapeFileBytesMax))
    return Error{ErrorCode::kLimit, "is longer than " + std::to_string(kScrapeFileBytesMax) + " bytes"};
  const auto text = read_file(file.path, kScrapeFileBytesMax);
  if (!text) return text.error();
  auto targets = parse_targets(*text, options_, file.job);
  if (!targets) return targets.error();
  file.targets = *std::move(targets);
  return Status::ok();
}

}  // namespace statmill
