// Profile: where the CPU time of a program goes, from two readings of its counters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace statmill {

// What GET /admin/v1/profile answers: CPU time since the start, in ns.
struct ProfileReading {
  struct Thread {
    uint64_t id = 0;
    std::string name;
    uint64_t cpu_ns = 0;
  };
  uint64_t time_ns = 0;  // of a clock that only counts up
  uint64_t processors = 0;
  uint64_t cpu_ns = 0;  // of the process
  std::vector<std::pair<std::string, uint64_t>> stages;
  std::vector<Thread> threads;
};

// Errors: kCorrupt.
Result<ProfileReading> parse_profile(std::string_view json);

// How a program spent its CPU time over some seconds.
struct Profile {
  struct Row {
    std::string name;
    uint64_t threads = 0;  // that have this name
    double cpu = 0;        // processors in use: 0.5 is half of one
    double share = 0;      // the part of Profile::cpu, in [0, 1]
  };
  // One way to divide the CPU time. The rows are sorted by it, the most first, but "other" is last: what
  // belongs to no other row.
  struct Part {
    std::string name;  // "stage", "thread"
    std::vector<Row> rows;
  };
  std::string of = "server";  // whose profile it is
  double seconds = 0;
  uint64_t processors = 0;  // that the host has; 0 if that is not known
  double cpu = 0;
  std::vector<Part> parts;
};

// Sorts the rows and computes their shares.
void finish_profile(Profile& profile);

// Returns the parts "stage" and "thread", whose row "(ended)" is of threads that ended meanwhile. Errors:
// kInvalid if the readings are of two processes, or of one moment.
Result<Profile> profile_between(const ProfileReading& first, const ProfileReading& last);

// Tables with bars, for people.
std::string profile_table(const Profile& profile);
// Returns one object, as a line.
std::string profile_json(const Profile& profile);
// Returns part,name,threads,cpu,share.
std::string profile_csv(const Profile& profile);

// Returns a bar of at most `width` characters whose length is the share of it.
std::string bar_text(double share, size_t width);

}  // namespace statmill
