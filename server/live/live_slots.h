// LiveSlots: the newest slots of one series, read and printed once in each turn for all streams that want
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/text_map.h"
#include "server/live/live_request.h"
#include "server/live/live_series.h"

namespace statmill {

// Slots that are compared at each turn: the open one, and those before it for late samples.
inline constexpr size_t kLiveSlots = 7;

// A turn of the hub.
struct LiveTurn {
  uint64_t number = 0;  // from 1
  Timestamp now{};
  const Table& table;
  Store& store;
};

// Confined to the hub's thread, but for its constructor and destructor.
class LiveSlots {
 public:
  explicit LiveSlots(std::string name) : series_(std::move(name)) {}

  // Reads the slots unless this turn has done so for a request that wanted as much. Returns false if there is
  // no such series, or the store cannot read it at present.
  bool read(const LiveTurn& turn, const LiveRequest& request);
  // The slot of element k; k < kLiveSlots. Requires: read() has returned true in this turn.
  Slot slot(size_t k) const { return columns_.begin + static_cast<Slot>(k); }
  // A digest of its bucket; 0: it has none.
  uint64_t digest(size_t k) const { return digests_[k]; }
  // The members of its JSON object from "t" on, with the numbers that the request wants. Requires: digest(k)
  // is not 0. Cost: prints it for the first request of a kind in a turn.
  const std::string& text(size_t k, const LiveRequest& request, const Tiers& tiers);

 private:
  std::string print(size_t k, const LiveRequest& request, int64_t step_s) const;

  LiveSeries series_;
  uint64_t turn_ = 0;  // of what follows
  std::optional<Kind> kind_;
  SlotColumns columns_;
  std::array<uint64_t, kLiveSlots> digests_{};
  std::string numbers_;  // LiveRequest::numbers of `texts_`
  std::array<std::string, kLiveSlots> texts_;
};

// Finds the LiveSlots that streams share, by name. Thread-safe.
class LivePool {
 public:
  std::shared_ptr<LiveSlots> of(const std::string& name);

 private:
  static constexpr size_t kSweepMin = 1024;

  Mutex mutex_;
  TextMap<std::weak_ptr<LiveSlots>> slots_ GUARDED_BY(mutex_);
  size_t sweep_at_ GUARDED_BY(mutex_) = kSweepMin;  // entries at which those without a stream are removed
};

}  // namespace statmill
