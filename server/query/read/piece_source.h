// PieceSource: where the engine gets what is stored of series: the frames of their chunks, and what is not in
// any chunk yet. The embedded server reads its table and its store (table_pieces.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/sample.h"
#include "storage/ids.h"
#include "storage/slot_columns.h"

namespace statmill {

class ColumnCache;

// The engines read series in views of this many, so that one read of the store serves them all, and hold the
// slots of a block of them in memory at a time.
inline constexpr size_t kViewSeries = 256;
inline constexpr size_t kBlockSeries = 32;

// A series that a query has found.
struct SeriesRef {
  std::string name;
  SeriesId id = 0;
};

struct SeriesFacts {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  Slot first_slot = -1;      // of the finest tier: the oldest that ever had a sample; -1 if none had
  Slot last_slot = -1;       // the newest one
  Slot ram_slot = -1;        // no slot before this one has data in RAM; -1 if RAM has none
  ChunkNo rolled = 0;        // chunks of the finest tier below this one are in the coarser tiers
  uint8_t joined_power = 0;  // of a distribution: SeriesRow::joined_power
  std::string host = {};     // of an event series: its tag `host`; empty if it has none
};

// All data of some series at one moment: every sample is in exactly one piece. Confined to one thread.
class SeriesView {
 public:
  virtual ~SeriesView() = default;

  virtual size_t size() const = 0;
  virtual const SeriesFacts& facts(size_t series) const = 0;

  // Calls `use` with the frames of one chunk of these series, those that have any, in any order; the frames
  // are valid during the call. Errors: kIo, kCorrupt, kUnavailable.
  using UseFrames = std::function<void(size_t series, std::string_view frames)>;
  virtual Status chunks(TierNo tier, ChunkNo chunk, std::span<const size_t> series, const UseFrames& use) = 0;
  // Returns the decoded chunks of the same store; nullptr if nobody keeps any.
  virtual ColumnCache* cache() const { return nullptr; }
  // The data of erased slots are still in the chunks: removes them from `columns`, which hold what the chunks
  // of the tier have.
  virtual void erase(size_t series, TierNo tier, SlotColumns& columns) const = 0;
  // Adds what no chunk has, in slots of `tier`: the finest one or the detail tier. Requires: the chunks' data
  // are in `columns` already, and what erase() removes is gone.
  virtual void add_ram(size_t series, TierNo tier, SlotColumns& columns) const = 0;
  // The same as lists in slots of the finest tier, ascending, each slot once.
  struct RamSlots {
    std::vector<SlotBucket> buckets;
    std::vector<SlotHistogram> histograms;  // if the view was made with them
  };
  virtual RamSlots ram_slots(size_t series) const = 0;
  // Returns false if the series was deleted or got another class of retention since the view was made, so
  // that chunks may have gone. Call it after the last read.
  virtual bool is_valid(size_t series) const = 0;
};

// Thread-safe.
class PieceSource {
 public:
  virtual ~PieceSource() = default;
  // Errors: kBusy (a series is not there any more, so the names must be looked up again), kIo, kCorrupt,
  // kUnavailable. Cost: a lock and a copy of the RAM pieces per series, without I/O.
  virtual Result<std::unique_ptr<SeriesView>> view(std::span<const SeriesRef> series, bool histograms) = 0;
  // Returns when the series ended, as its sender said; newer samples show that it has begun again.
  virtual std::optional<int64_t> end_ms(std::string_view) const { return std::nullopt; }
};

}  // namespace statmill
