// BinReader: the buckets of series in the bins of a query, each read from the tiers that cost the least.
#pragma once

#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/bins.h"
#include "server/query/read/column_reader.h"

namespace statmill {

// The points of one series.
struct SeriesBins {
  SlotColumns points;  // element i is bin i
  std::optional<OpenSlot> open = std::nullopt;
};

// For the series of one view. Confined to one thread.
class BinReader {
 public:
  // The references must outlive it.
  BinReader(const Tiers& tiers, const BinPlan& plan, ColumnReader& reader, Timestamp now)
      : tiers_(tiers), plan_(plan), reader_(reader), now_(now) {}

  // Returns one element per index of `series`. Errors: from the view.
  Result<std::vector<SeriesBins>> read(std::span<const size_t> series);

 private:
  Status add(TierNo tier, int64_t from_s, int64_t until_s, std::span<const size_t> series,
             std::vector<SeriesBins>& out);
  void set_open(const SeriesSlots::Open& open, SeriesBins& out) const;

  const Tiers& tiers_;  // their steps
  const BinPlan& plan_;
  ColumnReader& reader_;
  const Timestamp now_;
};

}  // namespace statmill
