#include "agent/collectors/program_totals.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr double kWalksPerHour = 360;
constexpr double kRecentShare = 7.0 / 8;

// A program passes another clearly if it has half as much again, and so much more: 8 ticks are what 0.1 % of
// a core adds up to, 256 pages are 1 MiB. It needs so much for a free place, too.
constexpr double kClearlyMore = 1.5;
constexpr std::array<double, 2> kMoreMin = {8, 256};

}  // namespace

ProgramTotals::ProgramTotals(size_t programs_max)
    : programs_max_(programs_max),
      kernel_(programs_[std::string(kKernelProgram)]),
      other_(programs_[std::string(kOtherPrograms)]),
      new_names_left_(static_cast<double>(kMeasures * programs_max)) {
  kernel_.is_reserved = true;
  other_.is_reserved = true;
}

void ProgramTotals::begin(std::optional<uint64_t> now_ticks) {
  processes_were_.swap(processes_);
  processes_.clear();
  process_was_ = 0;
  was_begun_ = std::exchange(begun_at_, now_ticks);
  ++walks_;
  states_ = {};
  for (auto& [name, program] : programs_) {
    program.was_there = program.sum.processes != 0;
    program.sum = {};
    program.grown_ticks = 0;
    program.was_listed = program.is_listed();
    program.waits = false;
  }
}

void ProgramTotals::add(uint32_t process, const ProcessStat& stat) {
  SM_CHECK(processes_.empty() || processes_.back().id < process);
  Process now = {process, stat.start_ticks, stat.cpu_ticks};
  Program& program = program_of(stat);
  program.grown_ticks += grow(now);
  ++program.sum.processes;
  program.sum.threads += stat.threads;
  program.sum.resident_pages += stat.resident_pages;
  ++states_.at(stat.state);
  processes_.push_back(now);
}

// Returns the CPU time of the process since the walk before. A time that went back counts from where it was.
uint64_t ProgramTotals::grow(Process& process) {
  while (process_was_ < processes_were_.size() && processes_were_[process_was_].id < process.id)
    ++process_was_;
  if (process_was_ < processes_were_.size()) {
    const Process& was = processes_were_[process_was_];
    if (was.id == process.id && was.start_ticks == process.start_ticks) {
      process.cpu_ticks = std::max(process.cpu_ticks, was.cpu_ticks);
      return process.cpu_ticks - was.cpu_ticks;
    }
  }
  // The walk before did not find some that had already started: they were hidden, or beyond a limit.
  const bool started_since = was_begun_ && process.start_ticks >= *was_begun_;
  return started_since ? process.cpu_ticks : 0;
}

ProgramTotals::Program& ProgramTotals::program_of(const ProcessStat& stat) {
  if (stat.is_kernel_thread) return kernel_;
  std::string name = program_name(stat.name);
  return name == kKernelProgram ? other_ : programs_[std::move(name)];
}

void ProgramTotals::finish() {
  std::erase_if(programs_, [](const auto& entry) {
    return entry.second.sum.processes == 0 && !entry.second.was_listed;
  });
  for (auto& [name, program] : programs_) close_walk(program);
  new_names_left_ = std::min(static_cast<double>(kMeasures * programs_max_),
                             new_names_left_ + kNewNamesPerHour / kWalksPerHour);
  choose(kCpu);
  choose(kMemory);
  for (auto& [name, program] : programs_) count(program);
}

void ProgramTotals::close_walk(Program& program) {
  program.recent_ticks = program.recent_ticks * kRecentShare + static_cast<double>(program.grown_ticks);
  program.walks_without_process = program.sum.processes == 0 ? program.walks_without_process + 1 : 0;
  if (program.walks_without_process >= kWalksWithoutProcessMax) program.has_place = {};
}

// Gives places to those that have most, until one does not clearly pass the least of those that have a place.
void ProgramTotals::choose(Measure measure) {
  std::vector<Program*> members;
  std::vector<Program*> others;
  for (auto& [name, program] : programs_) {
    if (program.has_place.at(measure)) {
      members.push_back(&program);
    } else if (!program.is_reserved && program.value(measure) >= kMoreMin.at(measure) &&
               (measure == kCpu || program.was_there || walks_ == 1)) {  // memory: not those that soon end
      others.push_back(&program);
    }
  }
  const auto has_more = [measure](const Program* a, const Program* b) {
    return a->value(measure) > b->value(measure);
  };
  std::sort(members.begin(), members.end(), has_more);
  std::sort(others.begin(), others.end(), has_more);
  size_t free_places = programs_max_ - members.size();
  for (Program* const other : others) {
    if (free_places == 0 && members.empty()) return;  // all are new
    const double least = free_places != 0 ? 0 : members.back()->value(measure);
    if (other->value(measure) < least * kClearlyMore + kMoreMin.at(measure)) return;
    if (!may_have_place(*other)) continue;
    other->has_place.at(measure) = true;
    if (free_places != 0) {
      --free_places;
    } else {
      members.back()->has_place.at(measure) = false;
      members.pop_back();
    }
  }
}

// Returns false if too many new names came.
bool ProgramTotals::may_have_place(Program& program) {
  if (program.is_listed() || program.was_listed) return true;
  program.waits = new_names_left_ < 1;
  if (!program.waits) new_names_left_ -= 1;
  return !program.waits;
}

// What a program without a place has is with the others.
void ProgramTotals::count(Program& program) {
  if (&program == &other_) {
    program.cpu_ticks += program.grown_ticks;
  } else if (program.is_listed()) {
    program.cpu_ticks = program.grown_ticks + (program.was_listed ? program.cpu_ticks : 0);
  } else {
    other_.cpu_ticks += program.grown_ticks;
    other_.sum.processes += program.sum.processes;
    other_.sum.threads += program.sum.threads;
    other_.sum.resident_pages += program.sum.resident_pages;
  }
}

std::vector<ListedProgram> ProgramTotals::listed() const {
  std::vector<ListedProgram> list;
  for (const auto& [name, program] : programs_) {
    if (!program.is_listed()) continue;
    list.push_back({.name = name,
                    .sum = program.sum,
                    .cpu_ticks = program.cpu_ticks,
                    .began_at_zero = !program.was_listed && walks_ > 1});
  }
  return list;
}

size_t ProgramTotals::waiting() const {
  return static_cast<size_t>(std::count_if(programs_.begin(), programs_.end(),
                                           [](const auto& entry) { return entry.second.waits; }));
}

}  // namespace statmill
