// SeriesReader: merges the buckets of one series, from RAM and from the store, into the output slots of a
// plan. Every sample counts exactly once.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "server/query/plan.h"
#include "server/query/query.h"
#include "server/query/query_control.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {

Error histograms_too_large(size_t bytes_max);

// For the series of one query. Confined to one thread.
class SeriesReader {
 public:
  // `snapshot` must be newer than the copies that are passed to read(). The references must outlive the
  // reader.
  SeriesReader(const Retention& retention, const Expiry& expiry, const QueryPlan& plan,
               StoreSnapshot& snapshot, RollupPosition position, int64_t now_s, Wanted wanted,
               size_t histogram_bytes_max, QueryControl& control)
      : expiry_(expiry),
        tiers_(retention.tiers()),
        plan_(plan),
        snapshot_(snapshot),
        position_(position),
        now_s_(now_s),
        wanted_(wanted),
        histogram_bytes_max_(histogram_bytes_max),
        control_(control) {}

  // Requires: `series.unflushed` and `histograms` have exactly the samples that are not in the snapshot.
  // Ignores what the snapshot has in the slots `series.erased`. Errors: from the store; kLimit if the
  // histograms need too much memory; those of `control`.
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
  void add(const Bucket& bucket, int64_t time_s);
  Status add(std::span<const SlotHistogram> histograms, int64_t step_s);

  const Expiry& expiry_;
  const Tiers& tiers_;  // their steps and chunks, which are those of every class
  const QueryPlan& plan_;
  StoreSnapshot& snapshot_;
  const RollupPosition position_;
  const int64_t now_s_;
  const Wanted wanted_;
  // State of the series being read.
  SlotRange erased_;         // slots to ignore in the snapshot
  int64_t kept_from_s_ = 0;  // older data of the plan's tier are expired
  ChunkNo whole_from_ = 0;   // no data of the finest tier were ever dropped from this chunk on
  const size_t histogram_bytes_max_;
  std::vector<Bucket> out_;                  // one per output slot
  std::vector<SparseHistogram> histograms_;  // one per output slot, or empty
  size_t histogram_bytes_ = 0;               // memory of histograms_
  std::map<size_t, uint64_t> ahead_;         // number of event slots in the future, by output slot
  uint64_t damaged_frames_ = 0;
  QueryControl& control_;
};

}  // namespace statmill
