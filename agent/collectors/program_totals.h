// ProgramTotals: adds up the processes of each program, and chooses the few programs that have series of
// their own.
//
// The CPU time of a program is the growth of its processes, each between two walks over them. What a process
// uses after the last walk that finds it is in no program. A process is known by its number and the time of
// its start, so one that gets the number of another begins at 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/process_text.h"

namespace statmill {

// Names that no program has: all threads of the kernel; all programs without series of their own, and those
// that call themselves so.
inline constexpr std::string_view kKernelProgram = "kernel";
inline constexpr std::string_view kOtherPrograms = "other";

// What the processes of one program have at the last walk.
struct ProgramSum {
  uint64_t processes = 0;
  uint64_t threads = 0;
  uint64_t resident_pages = 0;
};

// A program with series, or kOtherPrograms.
struct ListedProgram {
  std::string_view name;  // valid until the next walk
  ProgramSum sum = {};
  uint64_t cpu_ticks = 0;      // never decreases while the program is listed
  bool began_at_zero = false;  // cpu_ticks grew from 0 in the last walk: all of it is new
};

// Confined to one thread. Memory: 24 bytes per process, and some 150 per program that runs.
class ProgramTotals {
 public:
  // At most as many new names of programs may come at once as both lists have places, and in an hour so many:
  // a process can change its name as often as it likes.
  static constexpr double kNewNamesPerHour = 30;
  // A program without a process keeps its place for so many walks, an hour, unless another needs it.
  static constexpr size_t kWalksWithoutProcessMax = 360;

  // `programs_max` is the number of places for programs that use most CPU time, and of those for programs
  // that have most memory in two walks. A program has a place until it lacks a process for long, or another
  // clearly passes it.
  explicit ProgramTotals(size_t programs_max);

  // Begins a walk at a time since boot. Without one, processes that the walk before did not find begin at 0
  // now.
  void begin(std::optional<uint64_t> now_ticks);
  // Requires: `process` is greater than in the call before.
  void add(uint32_t process, const ProcessStat& stat);
  // Ends the walk. Cost: O(programs x log programs).
  void finish();

  // The processes of the last walk by state, as kProcessStates has them.
  const std::array<uint64_t, kProcessStates.size()>& states() const { return states_; }
  // All programs with series, and kOtherPrograms.
  std::vector<ListedProgram> listed() const;
  // How many programs waited for a place at the last walk, because of kNewNamesPerHour.
  size_t waiting() const;

 private:
  enum Measure : size_t { kCpu, kMemory, kMeasures };

  struct Process {
    uint32_t id = 0;
    uint64_t start_ticks = 0;
    uint64_t cpu_ticks = 0;
  };
  struct Program {
    bool is_reserved = false;  // a name that no program has: always listed
    ProgramSum sum = {};
    uint64_t grown_ticks = 0;  // in the last walk
    double recent_ticks = 0;   // the same of all walks, each walk before counting for 7/8 of the next
    uint64_t cpu_ticks = 0;    // since it is listed
    size_t walks_without_process = 0;
    std::array<bool, kMeasures> has_place = {};
    bool was_there = false;   // had a process at the walk before
    bool was_listed = false;  // before the last walk
    bool waits = false;

    bool is_listed() const { return is_reserved || has_place[kCpu] || has_place[kMemory]; }
    double value(Measure measure) const {
      return measure == kCpu ? recent_ticks : static_cast<double>(sum.resident_pages);
    }
  };

  uint64_t grow(Process& process);
  Program& program_of(const ProcessStat& stat);
  void close_walk(Program& program);
  void choose(Measure measure);
  bool may_have_place(Program& program);
  void count(Program& program);

  const size_t programs_max_;
  std::vector<Process> processes_;       // of this walk, ascending by number
  std::vector<Process> processes_were_;  // of the walk before
  size_t process_was_ = 0;               // the first of these whose number is not below that of add()
  size_t walks_ = 0;
  std::optional<uint64_t> begun_at_;   // this walk
  std::optional<uint64_t> was_begun_;  // the walk before
  std::array<uint64_t, kProcessStates.size()> states_ = {};
  std::map<std::string, Program, std::less<>> programs_;  // those with a process or a place, and the reserved
  Program& kernel_;
  Program& other_;
  double new_names_left_ = 0;
};

}  // namespace statmill
