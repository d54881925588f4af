// The hosts of the demo, and what happens to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/demo/demo_options.h"

namespace statmill {

// A time without samples: unix seconds, [begin_s, end_s).
struct Absence {
  int64_t begin_s = 0;
  int64_t end_s = 0;
};

struct DemoHost {
  std::string label;  // "db3"
  std::string name;   // "db3.example.org"
  std::string dc;     // fra, ams or lab
  std::string role;   // web, db, cache, queue, batch or edge
  int64_t cpus = 0;
  uint64_t key = 0;  // of its noise
  std::vector<Absence> absences = {};

  bool is_lab = false;
  bool is_batch = false;

  bool is_absent(int64_t time_s) const {
    for (const Absence& absence : absences) {
      if (time_s >= absence.begin_s && time_s < absence.end_s) return true;
    }
    return false;
  }
};

// When the stories of the demo happen, in seconds before its start.
inline constexpr int64_t kSpikeAgo = 3 * 86400;      // web3: one sample of 100 % CPU
inline constexpr int64_t kLossAgo = 3 * 3600;        // cache2: its spool overflows
inline constexpr int64_t kLossSeconds = 120;         // and so long is nothing stored of it
inline constexpr int64_t kRestartAgo = 55 * 60;      // batch4 restarts
inline constexpr int64_t kRestartSeconds = 90;       // and is back after so long
inline constexpr int64_t kBimodalAgo = 40 * 60;      // db3: some requests to its disk take 80 ms from now on
inline constexpr int64_t kAwayAgo = 20 * 60;         // web7 is away
inline constexpr int64_t kAwaySeconds = 6 * 60;      // and is back after so long
inline constexpr int64_t kOomAgo = 8 * 60;           // queue1: its leak ends with an OOM kill
inline constexpr int64_t kLeakSeconds = 3 * 3600;    // so long before it begins
inline constexpr int64_t kThrottledAgo = 30 * 60;    // web12: a noisy cgroup is throttled from now on
inline constexpr int64_t kRetransmitsAgo = 45 * 60;  // edge2: retransmits grow from now on
inline constexpr uint64_t kLinesLost = 2400;         // of cache2

inline constexpr std::string_view kJobHost = "batch1";  // whose cgroups come and go

// Returns the hosts, those with a story first. `start_s`: unix seconds.
std::vector<DemoHost> make_fleet(const DemoOptions& options, int64_t start_s);

}  // namespace statmill
