#include "agent/collectors/sys_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/number_text.h"

namespace statmill {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanksAndEnds = " \t\n";
  const size_t begin = text.find_first_not_of(kBlanksAndEnds);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanksAndEnds) + 1 - begin);
}

}  // namespace

// Call it with the errno of what failed at path_.
void SysReader::note_refusal() {
  if ((errno == EACCES || errno == EPERM) && refused_.empty()) refused_ = path_ + ": " + std::strerror(errno);
}

SysReader::SysReader(std::string root) : root_(std::move(root)) {}

std::optional<std::string_view> SysReader::text(std::string_view file) {
  path_.assign(root_).append("/").append(file);
  set_waits_for(path_);
  text_.resize(kFileBytesMax);
  const Descriptor descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t size = descriptor.is_open() ? 0 : -1;
  if (descriptor.is_open()) {
    do size = ::read(descriptor.get(), text_.data(), text_.size());
    while (size < 0 && errno == EINTR);
  }
  if (size < 0) note_refusal();
  set_waits_for({});
  if (size <= 0) return std::nullopt;
  const std::string_view found = trimmed(std::string_view(text_.data(), static_cast<size_t>(size)));
  return found.empty() ? std::nullopt : std::optional(found);
}

std::optional<uint64_t> SysReader::count(std::string_view file) {
  const std::optional<std::string_view> found = text(file);
  return found ? parse_as<uint64_t>(*found) : std::nullopt;
}

std::optional<int64_t> SysReader::number(std::string_view file) {
  const std::optional<std::string_view> found = text(file);
  return found ? parse_as<int64_t>(*found) : std::nullopt;
}

std::optional<std::vector<std::string>> SysReader::names(std::string_view directory,
                                                         std::string_view prefix) {
  path_.assign(root_).append("/").append(directory);
  set_waits_for(path_);
  DIR* const opened = ::opendir(path_.c_str());
  if (opened == nullptr) note_refusal();
  set_waits_for({});
  if (opened == nullptr) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(opened)) {
    const std::string_view name(entry->d_name);
    if (!name.starts_with(prefix) || name == "." || name == "..") continue;
    if (names.size() == kNamesMax) break;
    names.emplace_back(name);
  }
  ::closedir(opened);
  std::sort(names.begin(), names.end());
  return names;
}

std::string SysReader::link_target(std::string_view file) {
  path_.assign(root_).append("/").append(file);
  std::array<char, 4096> target;
  const ssize_t size = ::readlink(path_.c_str(), target.data(), target.size());
  if (size <= 0) return {};
  const std::string_view whole(target.data(), static_cast<size_t>(size));
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::string SysReader::waits_for() const {
  const MutexLock lock(mutex_);
  return waits_for_;
}

void SysReader::set_waits_for(std::string_view path) {
  const MutexLock lock(mutex_);
  waits_for_.assign(path);
}

}  // namespace statmill
