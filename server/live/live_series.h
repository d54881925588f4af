// LiveSeries: reads the newest slots of one series again and again, without a look at the disk most of the
// time.
//
// Its slots lie in RAM, except for what a flush has written since; the store is read once after each flush
// of the series' shard. So a slot's bucket is always all that was accepted for it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/table/table.h"
#include "storage/slot_bucket.h"
#include "storage/slot_columns.h"
#include "storage/slot_histograms.h"
#include "storage/store.h"

namespace statmill {

// Confined to one thread.
class LiveSeries {
 public:
  // `name` is as stored; there may be no such series yet, or any more.
  explicit LiveSeries(std::string name) : name_(std::move(name)) {}

  // Adds all samples in the range of `out`, which is of the finest tier and empty. Returns the kind; nullopt
  // if there is no such series. Errors: those of the store. Cost: a lock, and a copy of what RAM has of the
  // series.
  Result<std::optional<Kind>> read(const Table& table, Store& store, SlotColumns& out);

 private:
  // What the store has in [begin, end), for the time until the next flush of the shard.
  struct Stored {
    SeriesId id = 0;
    TickNo tick = 0;  // of the flush
    Slot begin = 0;
    Slot end = 0;
    std::vector<SlotBucket> buckets = {};
    std::vector<SlotHistogram> histograms = {};
  };
  // Returns true if `stored_` and the pieces together are all that there is in the range.
  bool fits(const SeriesPieces& pieces, const SlotColumns& out) const;
  Status load(const Table& table, Store& store, const SeriesPieces& pieces, const SlotColumns& wanted);
  void add(const SeriesPieces& pieces, const Tiers& tiers, SlotColumns& out) const;

  const std::string name_;
  std::optional<Stored> stored_;
};

}  // namespace statmill
