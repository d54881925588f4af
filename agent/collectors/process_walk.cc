#include "agent/collectors/process_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "agent/collectors/proc_text.h"
#include "base/descriptor.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr size_t kStatBytesMax = 2048;  // 52 numbers of at most 20 digits, and a name
constexpr uint32_t kFirstProcess = 1;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

using StatPath = std::array<char, 32>;

StatPath stat_path(uint32_t process) {
  StatPath path{};
  char* const end = std::to_chars(path.data(), path.data() + path.size(), process).ptr;
  std::strcpy(end, "/stat");
  return path;
}

}  // namespace

ProcessWalk::ProcessWalk(std::string root, size_t processes_max)
    : root_(std::move(root)),
      processes_max_(processes_max),
      ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
      text_(kStatBytesMax, '\0') {}

Result<ProcessWalk::Missed> ProcessWalk::walk(const Visitor& visitor) {
  const Descriptor directory(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return Error{ErrorCode::kIo, root_ + ": " + std::strerror(errno)};
  const Result<std::string_view> uptime = read(directory.get(), "uptime");
  const std::optional<double> seconds = uptime ? parse_uptime(*uptime) : std::nullopt;
  if (const Status listed = list(directory.get()); !listed) return listed.error();
  visitor.begin(seconds ? std::optional(static_cast<uint64_t>(std::llround(*seconds * ticks_per_second_)))
                        : std::nullopt);
  Missed missed;
  missed.beyond_limit = processes_.size() - std::min(processes_.size(), processes_max_);
  processes_.resize(processes_.size() - missed.beyond_limit);
  for (const uint32_t process : processes_) {
    const StatPath path = stat_path(process);
    Result<std::string_view> text = read(directory.get(), path.data());
    if (!text && text.error().code == ErrorCode::kNotFound) continue;  // it has ended
    const std::optional<ProcessStat> stat = text ? parse_process_stat(*text) : std::nullopt;
    if (stat) {
      visitor.see(process, *stat);
      continue;
    }
    const std::string why =
        text ? root_ + "/" + path.data() + " has an unknown format" : text.error().message;
    if (process == kFirstProcess) return Error{ErrorCode::kUnavailable, why};
    if (missed.unreadable++ == 0) missed.why = why;
  }
  return missed;
}

Status ProcessWalk::list(int directory) {
  processes_.clear();
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDirectory> entries(copy < 0 ? nullptr : ::fdopendir(copy));
  if (!entries) return Error{ErrorCode::kIo, root_ + ": " + std::strerror(errno)};
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::optional<uint32_t> process = parse_as<uint32_t>(entry->d_name);
    if (!process || processes_.size() == kListedMax) continue;
    processes_.push_back(*process);
  }
  std::sort(processes_.begin(), processes_.end());
  processes_.erase(std::unique(processes_.begin(), processes_.end()), processes_.end());
  if (processes_.empty() || processes_.front() > kFirstProcess)
    return Error{ErrorCode::kUnavailable,
                 root_ + " hides the processes of others: it is mounted with hidepid"};
  return Status::ok();
}

Result<std::string_view> ProcessWalk::read(int directory, const char* file) {
  const Descriptor descriptor(::openat(directory, file, O_RDONLY | O_CLOEXEC));
  ssize_t size = descriptor.is_open() ? 0 : -1;
  if (descriptor.is_open()) {
    do size = ::read(descriptor.get(), text_.data(), text_.size());
    while (size < 0 && errno == EINTR);
  }
  if (size >= 0) return std::string_view(text_.data(), static_cast<size_t>(size));
  const bool has_ended = errno == ENOENT || errno == ESRCH;
  return Error{has_ended ? ErrorCode::kNotFound : ErrorCode::kIo,
               root_ + "/" + file + ": " + std::strerror(errno)};
}

}  // namespace statmill
