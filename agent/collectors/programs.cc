#include "agent/collectors/programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/process_hash.h"
#include "counters/report_lines.h"
#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/family.h"
#include "proto/istatd/exemplar_line.h"
#include "proto/prometheus/labels_name.h"
#include "statmill/shared_cells.h"

namespace statmill {
namespace {

constexpr std::string_view kSuffix = ".cells";
constexpr std::string_view kUserKey = "uid";
constexpr Duration kLogInterval{10'000};  // between log lines about unreadable files

// A file; the key is its name.
struct Program {
  ino_t inode = 0;
  uint32_t user = 0;
  bool is_reported_before = false;  // its contents at the first reading were reported by an earlier agent
  bool is_named = false;            // in the log
  bool is_there = true;
  size_t items = 0;                    // at the last reading, and of instruments that are gone since
  std::unordered_set<uint64_t> names;  // hashes of the instruments that were ever reported
  ReportLines lines;                   // remembers them, too
};
using Programs = std::map<std::string, Program, std::less<>>;

// Returns the name with the tag `uid`, in its canonical spelling; nullopt if it has none. The tag says who
// counted: a program cannot set it itself, nor count for a series of the host or of another user.
std::optional<std::string> name_of_user(std::string_view text, uint32_t uid) {
  const auto name = spelled_name(text);
  if (!name) return std::nullopt;
  LabelPairs labels = labels_of(*name);
  std::erase_if(labels, [](const LabelPair& label) { return label.first == kUserKey; });
  labels.emplace_back(kUserKey, std::to_string(uid));
  auto tagged = canonical_name(labels);
  if (!tagged) return std::nullopt;
  return *std::move(tagged);
}

// Returns whether a server keeps an exemplar with these labels.
bool are_labels(const std::string& labels) {
  const std::string line = "$x a 0 0 " + labels;
  Batch batch;
  parse_exemplar_line(line, AddedTags(), batch);
  return batch.exemplars.size() == 1 && !batch.exemplars.front().labels.empty();
}

// An instrument is new if its name or its place in the file is: the file of a hostile program may change
// both.
uint64_t hash_of(const Reading& reading) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio: spreads small numbers
  return process_hash()(reading.name) ^ (reading.instance * kOdd);
}

size_t items_of(const std::vector<Reading>& readings) {
  size_t items = readings.size();
  for (const Reading& reading : readings) items += reading.buckets.size();
  return items;
}

class ProgramsCollector final : public Collector {
 public:
  ProgramsCollector(ProgramsOptions options, const Clock& clock, Log& log)
      : options_(std::move(options)), clock_(clock), log_(log), users_(options_.user) {}

  std::string_view name() const override { return "programs"; }
  CollectorStatus collect(MetricSink& sink) override;

 private:
  // Sums for the current interval.
  struct Round {
    size_t files = 0;
    size_t refused = 0;
    size_t waiting = 0;
    size_t user_files = 0;  // wait for a limit of their user
    size_t user_items = 0;  // files that wait for a limit of their user
    size_t user_names = 0;  // instruments that wait for a limit of their user
    uint64_t left_out = 0;
    uint64_t exemplars_refused = 0;
    size_t bytes = 0;
    uint64_t cost = 0;
  };

  // Lists the directory. Errors: it exists and cannot be read.
  Status look();
  void found(int directory, const dirent& entry);
  // Counts a file that is not read any more.
  void forget(const Program& program);
  void read_all(MetricSink& sink);
  bool read_one(const std::string& name, Program& program, MetricSink& sink);
  void check_texts(Reading& reading);
  bool refuse(const std::string& name, Program& program, const std::string& reason);
  // Returns false if the file has to wait for a limit of items.
  bool change_items(Program& program, size_t items);
  // Removes the readings of new instruments that have to wait. Returns how many.
  size_t hold_back_new_names(Program& program, std::vector<Reading>& readings);
  // Gives the readings the names under which they are reported, which `names` keeps; removes those without.
  void rename(uint32_t owner, std::vector<Reading>& readings, std::vector<std::string>& names);
  bool hand_over(const std::vector<Reading>& readings, Program& program, MetricSink& sink);
  std::string path_of(const std::string& name) const { return options_.directory + "/" + name; }
  bool is_full() const {
    return round_.bytes >= options_.bytes_in_all_max || round_.cost >= options_.cost_max;
  }

  const ProgramsOptions options_;
  const Clock& clock_;
  Log& log_;
  LogLimiter limiter_{kLogInterval};
  bool has_looked_ = false;
  bool is_there_ = false;  // the directory
  Programs programs_;      // at most files_max
  size_t items_ = 0;       // in all programs; at most items_in_all_max
  std::string next_;       // the first file that was postponed in the last interval; empty: none
  ProgramUsers users_;
  Round round_;
};

CollectorStatus ProgramsCollector::collect(MetricSink& sink) {
  round_ = {};
  if (const Status looked = look(); !looked) return CollectorStatus::unavailable(looked.error().message);
  if (!is_there_) return {};
  read_all(sink);
  sink.gauge("host.agent.program_files", static_cast<double>(round_.files));
  sink.gauge("host.agent.program_files_refused", static_cast<double>(round_.refused));
  sink.gauge("host.agent.program_files_waiting", static_cast<double>(round_.waiting));
  sink.gauge("host.agent.program_user_waiting", {"files"}, static_cast<double>(round_.user_files));
  sink.gauge("host.agent.program_user_waiting", {"items"}, static_cast<double>(round_.user_items));
  sink.gauge("host.agent.program_user_waiting", {"names"}, static_cast<double>(round_.user_names));
  sink.gauge("host.agent.program_instruments_left_out", static_cast<double>(round_.left_out));
  sink.gauge("host.agent.program_exemplars_refused", static_cast<double>(round_.exemplars_refused));
  return {};
}

Status ProgramsCollector::look() {
  DIR* const directory = ::opendir(options_.directory.c_str());
  const int error = errno;
  is_there_ = directory != nullptr;
  if (directory == nullptr && error != ENOENT)
    return Error{ErrorCode::kIo, options_.directory + ": " + std::strerror(error)};
  for (auto& [name, program] : programs_) program.is_there = false;
  size_t names = 0;
  if (directory != nullptr) {
    for (const dirent* entry = nullptr;
         names < options_.names_max && (entry = ::readdir(directory)) != nullptr; ++names)
      found(::dirfd(directory), *entry);
    ::closedir(directory);
  }
  has_looked_ = true;
  // Entries after the limit may exist: if they were forgotten, their counts would be reported again.
  if (names == options_.names_max) return Status::ok();
  std::erase_if(programs_, [&](const auto& entry) {
    const Program& program = entry.second;
    if (!program.is_there) forget(program);
    return !program.is_there;
  });
  users_.forget_idle(clock_.steady());
  return Status::ok();
}

void ProgramsCollector::forget(const Program& program) {
  items_ -= program.items;
  users_.remove_file(program.user, program.items);
}

void ProgramsCollector::found(int directory, const dirent& entry) {
  const std::string_view name(entry.d_name);
  if (name.starts_with('.') || !name.ends_with(kSuffix)) return;
  auto it = programs_.find(name);
  if (it != programs_.end() && it->second.inode != entry.d_ino) {  // another file with this name
    forget(it->second);
    programs_.erase(it);
    it = programs_.end();
  }
  if (it != programs_.end()) {
    it->second.is_there = true;
    return;
  }
  struct stat status {};
  if (programs_.size() >= options_.files_max) {
    ++round_.waiting;
  } else if (::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return;  // it is gone
  } else if (!users_.add_file(status.st_uid, clock_.steady())) {
    ++round_.waiting;
    ++round_.user_files;
  } else {
    Program& program = programs_[std::string(name)];
    program.inode = entry.d_ino;
    program.user = status.st_uid;
    program.is_reported_before = !has_looked_;
  }
}

// Starts with the first file that the last interval postponed, so that every file gets its turn.
void ProgramsCollector::read_all(MetricSink& sink) {
  std::vector<std::string> names;
  names.reserve(programs_.size());
  for (const auto& [name, program] : programs_) names.push_back(name);
  std::rotate(names.begin(), std::lower_bound(names.begin(), names.end(), next_), names.end());
  next_.clear();
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_full()) {
      next_ = names[i];
      round_.waiting += names.size() - i;
      return;
    }
    const auto it = programs_.find(names[i]);
    if (!read_one(names[i], it->second, sink)) continue;
    forget(it->second);
    programs_.erase(it);
  }
}

// Returns true if the file was completely reported and removed.
bool ProgramsCollector::read_one(const std::string& name, Program& program, MetricSink& sink) {
  std::string error;
  const std::unique_ptr<SharedCells> cells = SharedCells::open(path_of(name), error);
  if (cells == nullptr) return refuse(name, program, error);
  if (cells->owner() != program.user) return refuse(name, program, "its owner has changed");
  const bool is_last = !cells->lives();  // checked before reading
  std::optional<std::vector<Reading>> readings = cells->read(error);
  round_.cost += cells->cost();
  if (!readings) return refuse(name, program, error);
  for (Reading& reading : *readings) {
    check_texts(reading);
    if (is_last) reading.sum_missing_max = 0;  // the process is dead: no unfinished record will be finished
  }
  const size_t gone = program.names.size() - std::min(program.names.size(), readings->size());
  const size_t items = items_of(*readings) + gone;
  if (items > options_.items_max) return refuse(name, program, "it has too many instruments");
  if (!change_items(program, items)) {
    ++round_.waiting;
    return false;
  }
  ++round_.files;
  round_.left_out += cells->left_out();
  round_.exemplars_refused += cells->exemplars_refused();
  std::vector<std::string> names;
  rename(cells->owner(), *readings, names);
  const size_t held_back = hold_back_new_names(program, *readings);
  round_.user_names += held_back;
  const bool is_reported = hand_over(*readings, program, sink) && held_back == 0;
  if (!is_last || !is_reported || !options_.removes_files) return false;
  if (::unlink(path_of(name).c_str()) == 0 || errno == ENOENT) return true;
  return refuse(name, program, std::string("it cannot be removed: ") + std::strerror(errno));
}

// Removes texts that a server would refuse: a file may have any.
void ProgramsCollector::check_texts(Reading& reading) {
  if (!is_unit(reading.unit)) reading.unit = {};
  if (!is_help(reading.help)) reading.help = {};
  if (!reading.exemplar) return;
  constexpr auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  std::string& labels = reading.exemplar->labels;
  std::replace_if(labels.begin(), labels.end(), is_blank, ' ');
  if (are_labels(labels)) return;
  reading.exemplar.reset();
  ++round_.exemplars_refused;
}

bool ProgramsCollector::change_items(Program& program, size_t items) {
  const size_t others = items_ - program.items;
  if (items > options_.items_in_all_max - std::min(others, options_.items_in_all_max)) return false;
  if (!users_.change_items(program.user, program.items, items)) {
    ++round_.user_items;
    return false;
  }
  items_ = others + items;
  program.items = items;
  return true;
}

size_t ProgramsCollector::hold_back_new_names(Program& program, std::vector<Reading>& readings) {
  const SteadyTime now = clock_.steady();
  return std::erase_if(readings, [&](const Reading& reading) {
    const uint64_t hash = hash_of(reading);
    if (program.names.contains(hash)) return false;
    // Those that an earlier agent reported are no news to the server.
    if (!program.is_reported_before && !users_.add_name(program.user, now)) return true;
    program.names.insert(hash);
    return false;
  });
}

void ProgramsCollector::rename(uint32_t owner, std::vector<Reading>& readings,
                               std::vector<std::string>& names) {
  names.reserve(readings.size());  // readings point to them
  const size_t before = readings.size();
  std::erase_if(readings, [&](Reading& reading) {
    auto name = name_of_user(reading.name, owner);
    if (!name) return true;
    reading.name = names.emplace_back(*std::move(name));
    return false;
  });
  round_.left_out += before - readings.size();
}

// Counts and logs the file as refused. Always returns false: the file stays and is tried again.
bool ProgramsCollector::refuse(const std::string& name, Program& program, const std::string& reason) {
  ++round_.refused;
  if (std::exchange(program.is_named, true)) return false;
  if (const int64_t held_back = limiter_.admit(clock_.steady()); held_back >= 0)
    log_.warn("shared cells refused",
              {{"file", path_of(name)}, {"reason", reason}, {"held_back", held_back}});
  return false;
}

// Returns whether all its lines are in the batch.
bool ProgramsCollector::hand_over(const std::vector<Reading>& readings, Program& program, MetricSink& sink) {
  program.lines.resend_families_hourly(clock_.steady().time_since_epoch());
  const std::string_view text = program.lines.make(readings);
  if (std::exchange(program.is_reported_before, false)) {
    program.lines.sent(text.size());
    program.lines.resend_families();  // so that a server that has not got them gets them
    return true;
  }
  const size_t room = std::min(options_.file_bytes_max, options_.bytes_in_all_max - round_.bytes);
  const size_t end = program.lines.end_of_lines(0, room);
  sink.lines(text.substr(0, end));
  program.lines.sent(end);
  round_.bytes += end;
  return end == text.size();
}

}  // namespace

std::unique_ptr<Collector> make_programs_collector(ProgramsOptions options, const Clock& clock, Log& log) {
  return std::make_unique<ProgramsCollector>(std::move(options), clock, log);
}

}  // namespace statmill
