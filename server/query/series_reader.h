// SeriesReader: one series' pieces, in RAM and in the store, merged into the slots of a plan. Every sample
// once.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "server/query/plan.h"
#include "server/query/query.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {

Error histograms_too_large(size_t bytes_max);

// Confined to one thread, for one query.
class SeriesReader {
 public:
  // `snapshot` must have been taken after the copies that are read. All must outlive it.
  SeriesReader(const Retention& retention, const Expiry& expiry, const QueryPlan& plan,
               StoreSnapshot& snapshot, RollupPosition position, int64_t now_s, Wanted wanted,
               size_t histogram_bytes_max)
      : expiry_(expiry),
        tiers_(retention.tiers()),
        plan_(plan),
        snapshot_(snapshot),
        position_(position),
        now_s_(now_s),
        wanted_(wanted),
        histogram_bytes_max_(histogram_bytes_max) {}

  // `series.unflushed` and `histograms` are what of it is not in the snapshot. What the snapshot has of the
  // slots `series.erased` does not count. Errors: from the store; kLimit when its histograms take too much
  // memory.
  Result<SeriesAnswer> read(const SeriesCopy& series, const std::vector<SlotHistogram>& histograms);

  uint64_t damaged_frames() const { return damaged_frames_; }

 private:
  using Buckets = std::vector<SlotBucket>;

  struct Ram {
    const Buckets& buckets;
    const std::vector<SlotHistogram>& histograms;
  };
  Status add_fine(const SeriesCopy& series, const Ram& ram, int64_t from_s, int64_t until_s);
  Status add_coarse(const SeriesCopy& series, const Ram& ram, int64_t from_s, int64_t until_s);
  Status add_late_events(const SeriesCopy& series, const Buckets& ram, int64_t from_s, int64_t until_s,
                         Buckets& coarse);
  void fill_silence(const SeriesCopy& series);
  Result<DecodedChunk> load(TierNo tier_no, ChunkNo chunk, SeriesId id);
  void put(const Bucket& bucket, int64_t time_s);
  Status put(std::span<const SlotHistogram> histograms, int64_t step_s);

  const Expiry& expiry_;
  const Tiers& tiers_;  // their steps and chunks, which are those of every class
  const QueryPlan& plan_;
  StoreSnapshot& snapshot_;
  const RollupPosition position_;
  const int64_t now_s_;
  const Wanted wanted_;
  SlotRange erased_;         // of the series being read: void in the snapshot
  int64_t kept_from_s_ = 0;  // of the series being read: what is older is expired in the plan's tier
  ChunkNo whole_from_ = 0;   // likewise: from here on nothing was ever dropped of the finest
  const size_t histogram_bytes_max_;
  std::vector<Bucket> out_;
  std::vector<SparseHistogram> histograms_;  // as many, or none
  size_t histogram_bytes_ = 0;               // of their cells
  std::map<size_t, uint64_t> ahead_;         // event slots that lie in the future, by output slot
  uint64_t damaged_frames_ = 0;
};

}  // namespace statmill
