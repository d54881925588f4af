#include "ingest/scrape/target_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
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
    const Version version = version_of(file.path);
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

TargetFiles::Version TargetFiles::version_of(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) return std::nullopt;
  const int64_t changed_ns = state.st_mtim.tv_sec * int64_t{1'000'000'000} + state.st_mtim.tv_nsec;
  return std::tuple(static_cast<uint64_t>(state.st_dev), static_cast<uint64_t>(state.st_ino), changed_ns,
                    static_cast<int64_t>(state.st_size));
}

Status TargetFiles::read(File& file) const {
  if (!file.version) return Error{ErrorCode::kNotFound, "there is no such file"};
  if (std::get<3>(*file.version) > static_cast<int64_t>(kScrapeFileBytesMax))
    return Error{ErrorCode::kLimit, "is longer than " + std::to_string(kScrapeFileBytesMax) + " bytes"};
  std::ifstream stream(file.path, std::ios::binary);
  std::string text(kScrapeFileBytesMax + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || !stream.is_open()) return Error{ErrorCode::kIo, "cannot be read"};
  text.resize(static_cast<size_t>(stream.gcount()));
  auto targets = parse_targets(text, options_, file.job);
  if (!targets) return targets.error();
  file.targets = *std::move(targets);
  return Status::ok();
}

}  // namespace statmill
