#include "agent/recording/recording_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr std::string_view kFileSuffix = ".rec.gz";
constexpr std::string_view kUnfinished = ".new";
constexpr std::string_view kTimeForm = "-ddddddddTddddddZ";  // d: a digit
constexpr mode_t kFileMode = 0640;
constexpr mode_t kDirectoryMode = 0750;

Error disk_error(std::string_view what, const std::string& path) {
  return {ErrorCode::kIo, std::string(what) + " " + path + ": " + std::strerror(errno)};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// One of our names, without the host: the time and the number, which says how many files of this second
// there are.
using Place = std::pair<std::string_view, uint32_t>;

bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char wanted) { return wanted == 'd' ? '0' <= c && c <= '9' : c == wanted; });
}

std::optional<Place> parse_place(std::string_view name, std::string_view host) {
  if (!name.starts_with(host) || !name.ends_with(kFileSuffix)) return std::nullopt;
  name.remove_prefix(host.size());
  name.remove_suffix(std::min(name.size(), kFileSuffix.size()));
  const std::string_view time = name.substr(0, kTimeForm.size());
  if (!has_form(time, kTimeForm)) return std::nullopt;
  name.remove_prefix(time.size());
  if (name.empty()) return Place(time, 1);
  const auto number = name.starts_with('-') ? parse_as<uint32_t>(name.substr(1)) : std::nullopt;
  if (!number || *number < 2) return std::nullopt;
  return Place(time, *number);
}

}  // namespace

std::string recording_file_name(std::string_view host, Timestamp at) {
  const std::time_t seconds = unix_seconds(at);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[32];
  const size_t size = std::strftime(text, sizeof(text), "-%Y%m%dT%H%M%SZ", &utc);
  return std::string(host).append(text, size).append(kFileSuffix);
}

RecordingFiles::RecordingFiles(Options options, Log& log)
    : options_(std::move(options)), log_(log), work_(log, "recording", [this] { result_ = write_file(); }) {}

Status RecordingFiles::write(Recording recording, Timestamp at) {
  look();
  if (is_writing_ && next_) {
    ++failures_;
    return Error{ErrorCode::kBusy, "one recording is being written, and another one waits"};
  }
  if (options_.directory.empty()) {
    ++failures_;
    return Error{ErrorCode::kInvalid, "neither --hindsight.directory nor --spool.path is set"};
  }
  next_ = {std::move(recording), at};
  begin_next();
  return Status::ok();
}

void RecordingFiles::begin_next() {
  if (is_writing_ || !next_) return;
  recording_ = std::move(next_->recording);
  at_ = next_->at;
  next_.reset();
  is_writing_ = true;
  work_.begin();
}

void RecordingFiles::look() {
  if (!is_writing_ || !work_.wait(Duration(0))) return;
  is_writing_ = false;
  report(std::exchange(recording_, {}).bytes);
  begin_next();
}

void RecordingFiles::report(size_t bytes) {
  if (!result_) {
    ++failures_;
    log_.error("recording not written", {{"reason", result_.error().message}});
    return;
  }
  ++written_;
  log_.info("recording written", {{"file", options_.directory + "/" + name_}, {"bytes", bytes}});
  if (!cleanup_) log_.warn("recordings not cleaned up", {{"reason", cleanup_.error().message}});
}

Status RecordingFiles::write_file() {
  const std::string& path = options_.directory;
  cleanup_ = Status::ok();
  if (::mkdir(path.c_str(), kDirectoryMode) != 0 && errno != EEXIST) return disk_error("create", path);
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return disk_error("open", path);
  Result<std::vector<std::string>> others = list(directory.get());
  if (!others) return others.error();
  name_ = free_name(*others);
  remove_unfinished(directory.get(), *others);
  if (Status done = write_under(directory.get(), name_); !done) {
    ::unlinkat(directory.get(), (name_ + std::string(kUnfinished)).c_str(), 0);  // frees its space
    return done;
  }
  if (::fsync(directory.get()) != 0) cleanup_ = disk_error("sync", path);
  if (Status removed = remove_oldest(directory.get(), *std::move(others)); !removed) cleanup_ = removed;
  return Status::ok();
}

Status RecordingFiles::write_under(int directory, const std::string& name) {
  const std::string unfinished = name + std::string(kUnfinished);
  const Descriptor file(::openat(directory, unfinished.c_str(),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file.is_open()) return disk_error("create", unfinished);
  for (const auto& piece : recording_.pieces) {
    if (!write_all(file.get(), *piece)) return disk_error("write", unfinished);
  }
  if (::fsync(file.get()) != 0) return disk_error("sync", unfinished);
  if (::renameat(directory, unfinished.c_str(), directory, name.c_str()) != 0)
    return disk_error("rename", unfinished);
  return Status::ok();
}

Result<std::vector<std::string>> RecordingFiles::list(int directory) const {
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again < 0 ? nullptr : ::fdopendir(again);
  if (entries == nullptr) return disk_error("list", options_.directory);
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(entries)) names.emplace_back(entry->d_name);
  ::closedir(entries);
  return names;
}

// What a crash left unfinished. The disk may be full, so this comes before the next file; that one's own
// unfinished file is overwritten.
void RecordingFiles::remove_unfinished(int directory, const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (!name.ends_with(kUnfinished)) continue;
    const std::string finished = name.substr(0, name.size() - kUnfinished.size());
    if (is_ours(finished) && finished != name_) ::unlinkat(directory, name.c_str(), 0);
  }
}

// A name later than that of the new file is from a time when the clock was
// wrong: such files count as the oldest, since otherwise they would stay, and all new ones would go.
Status RecordingFiles::remove_oldest(int directory, std::vector<std::string> others) const {
  const auto before = [this](const std::string& a, const std::string& b) { return is_before(a, b); };
  std::erase_if(others, [this](const std::string& name) { return !is_ours(name); });
  std::sort(others.begin(), others.end(), before);
  const auto later = std::upper_bound(others.begin(), others.end(), name_, before);
  std::rotate(others.begin(), later, others.end());
  Status removed = Status::ok();
  for (size_t i = 0; i + options_.files_max < others.size() + 1; ++i) {
    if (::unlinkat(directory, others[i].c_str(), 0) != 0 && errno != ENOENT)
      removed = disk_error("remove", others[i]);
  }
  return removed;
}

bool RecordingFiles::is_ours(std::string_view name) const {
  return parse_place(name, options_.host).has_value();
}

bool RecordingFiles::is_before(std::string_view name, std::string_view other) const {
  return parse_place(name, options_.host) < parse_place(other, options_.host);
}

// Returns a name that no file has, so that none is replaced.
std::string RecordingFiles::free_name(const std::vector<std::string>& names) const {
  const std::string first = recording_file_name(options_.host, at_);
  std::string name = first;
  for (uint32_t number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
    name = first.substr(0, first.size() - kFileSuffix.size());
    name.append("-").append(std::to_string(number)).append(kFileSuffix);
  }
  return name;
}

}  // namespace statmill
