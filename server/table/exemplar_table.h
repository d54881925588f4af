// ExemplarTable: the exemplars that came in an epoch, the largest for each series and slot of the finest
// tier. The tick writes them; the store keeps the larger of what it has and of what comes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/verdict.h"
#include "proto/exemplar.h"
#include "storage/exemplar_row.h"

namespace statmill {

// Limits of an ExemplarTable.
struct ExemplarLimits {
  // --limits.exemplars: so many per second are stored, on average over a minute; 0: none.
  size_t per_second = 500;

  size_t burst() const { return 60 * per_second; }
};

// Thread-safe. Lock order: its lock is inside the epoch gate; no lock is acquired while it is held. Memory:
// about 200 bytes for each exemplar of the open epoch and its labels, at most burst() of them; and once there
// was an exemplar, 2.5 MiB.
class ExemplarTable {
 public:
  explicit ExemplarTable(const ExemplarLimits& limits) : limits_(limits) {}

  // Notes an exemplar of the epoch of this parity. One that is not larger than another of its series and slot
  // is accepted, too, and changes nothing. Refuses it with kLimit, which the caller counts.
  Verdict<ExemplarRefusal> note(int parity, const ExemplarKey& key, const Exemplar& exemplar);
  // Counts exemplars that are refused, for any reason.
  void count_refused(ExemplarRefusal reason, uint64_t count = 1);

  // For the tick; one thread.
  // Returns the exemplars of the epoch of this parity, which has ended, by key.
  std::vector<ExemplarRow> take(int parity, SteadyTime now);
  // Forgets what it knows of series whose ids others may get.
  void forget(std::span<const SeriesId> deleted);

  // Since the start; received == accepted + all refused.
  uint64_t accepted() const { return accepted_.load(std::memory_order_relaxed); }
  uint64_t stored() const { return stored_.load(std::memory_order_relaxed); }
  uint64_t refused(ExemplarRefusal reason) const {
    return refused_[static_cast<size_t>(reason)].load(std::memory_order_relaxed);
  }

 private:
  // What was stored last of the series that share a place: senders repeat an exemplar with each scrape, and a
  // repeated one need not be written again. One that is overwritten here is only written once more.
  struct Known {
    uint64_t labels = 0;  // hash
    double value = 0;
    int64_t time_ms = 0;
    Slot slot = -1;  // -1: nothing is known
    SeriesId id = 0;
  };
  static constexpr size_t kKnown = size_t{1} << 16;

  static bool is_known(const Known& known, const ExemplarKey& key, const Exemplar& exemplar, uint64_t labels);
  void refill(SteadyTime now) REQUIRES(mutex_);

  const ExemplarLimits limits_;
  Mutex mutex_;
  std::array<std::map<ExemplarKey, ExemplarRow>, 2> waiting_ GUARDED_BY(mutex_);  // by parity
  std::vector<Known> known_ GUARDED_BY(mutex_);  // by the low bits of the id; empty before the first exemplar
  // How many may be added before the next refill.
  double budget_ GUARDED_BY(mutex_) = static_cast<double>(limits_.burst());
  std::optional<SteadyTime> refilled_ GUARDED_BY(mutex_);
  // Independent counts that /metrics reads: relaxed.
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> stored_{0};
  std::array<std::atomic<uint64_t>, kExemplarRefusalCount> refused_{};
};

}  // namespace statmill
