// DemoWorld: all series of the demo, and the sample of each of them at any time: a function of the seed, the
// series and the time, and of when the demo starts, since its stories happen around then.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "server/demo/demo_families.h"
#include "server/demo/fleet.h"
#include "server/demo/slot_share.h"
#include "storage/bucket.h"
#include "storage/histogram.h"

namespace statmill {

// A story: what happens to a series on top of the waves that all series have.
enum class DemoStory : uint8_t {
  kNone,
  kSpike,
  kBimodal,
  kBusyDisk,
  kLeak,
  kOomKill,
  kThrottled,
  kSlowRunqueue,
  kRetransmits,
  kLostLines,
  kLacksPart,    // the state of a collector
  kDoesNotWork,  // the state of a collector
};

// Returns kLacksPart, kDoesNotWork or kNone.
DemoStory collector_state(const DemoHost& host, std::string_view collector);

struct DemoSeries {
  std::string name;
  const DemoFamily* family = nullptr;
  const DemoHost* host = nullptr;  // null: it is not of a host
  uint64_t key = 0;                // of its noise
  double size = 1;                 // factor of level and gain
  DemoStory story = DemoStory::kNone;
  // It has samples in [begin_s, end_s) only.
  int64_t begin_s = 0;
  int64_t end_s = std::numeric_limits<int64_t>::max();

  Kind kind() const { return family->family->kind; }
};

// The samples of a series in one slot of the finest tier, or in one second.
struct DemoSample {
  Bucket bucket;
  std::vector<HistogramCell> cells;  // of distributions
};

// Immutable; thread-safe.
class DemoWorld {
 public:
  static constexpr int64_t kHistorySeconds = int64_t{730} * 86400;
  // The cgroups that come and go: one begins in each kJobInterval and lives for kJobSeconds.
  static constexpr int64_t kJobInterval = 9;
  static constexpr int64_t kJobSeconds = 300;
  static constexpr int64_t kJobHistory = 3600;

  // `start_s`: the present, in unix seconds; the demo starts at the begin of its slot. `slot_s`: the step of
  // the finest tier.
  DemoWorld(const DemoOptions& options, int64_t start_s, int64_t slot_s);
  DemoWorld(const DemoWorld&) = delete;
  DemoWorld& operator=(const DemoWorld&) = delete;

  int64_t start_s() const { return start_s_; }
  int64_t slot_s() const { return slot_s_; }
  int64_t begin_s() const { return start_s_ - kHistorySeconds; }
  const std::vector<DemoHost>& fleet() const { return fleet_; }
  // The series that exist at the start. Those of one host lie together.
  const std::vector<DemoSeries>& series() const { return series_; }
  // The series of one cgroup of a host, by its number: it begins at job * kJobInterval.
  std::vector<DemoSeries> job_series(const DemoHost& host, int64_t job) const;

  // Sets `out` to the samples in the slot that begins at `begin_s`; returns false if there are none. Cost:
  // some 40 ns, 0.1 us for a gauge, 0.4 us for a distribution; no allocation if `out` is used again.
  bool sample(const DemoSeries& series, int64_t begin_s, DemoSample& out) const {
    return samples(series, begin_s, begin_s + slot_s_, out);
  }
  // The same for the second that begins at `time_s`. Hosts have samples in each second, but for
  // events that are few, and programs all that are not events in the first one of a slot. The seconds of a
  // slot have exactly its samples, events its total. Cost: as sample().
  bool second(const DemoSeries& series, int64_t time_s, DemoSample& out) const {
    return samples(series, time_s, time_s + 1, out);
  }

 private:
  void add_host(const DemoHost& host);
  void add_family(const DemoHost* host, const DemoFamily& family);
  void add_series(const DemoHost* host, const DemoFamily& family, std::string_view first,
                  std::string_view second);
  void add_names(size_t count);
  double load(const DemoHost* host, uint64_t key, int64_t time_s) const;
  double smooth_level(const DemoSeries& series, int64_t time_s) const;
  double level(const DemoSeries& series, double smooth, int64_t time_s) const;
  double changed(const DemoSeries& series, int64_t time_s, double value) const;
  bool samples(const DemoSeries& series, int64_t begin_s, int64_t end_s, DemoSample& out) const;
  void distribute(const DemoSeries& series, int64_t begin_s, SlotShare share, DemoSample& out) const;
  void count(const DemoSeries& series, int64_t begin_s, SlotShare share, DemoSample& out) const;
  void measure(const DemoSeries& series, int64_t begin_s, int64_t end_s, DemoSample& out) const;

  static constexpr size_t kMinutesPerDay = 1440;

  const uint64_t seed_;
  const int64_t start_s_;
  const int64_t slot_s_;
  const std::vector<DemoHost> fleet_;
  std::array<double, kMinutesPerDay> day_{};  // the wave of a day, between 0 and 1
  std::vector<DemoSeries> series_;
};

}  // namespace statmill
