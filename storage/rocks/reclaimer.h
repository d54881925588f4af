// Reclaimer: deletes files of a RocksDatabase of which nothing is kept, then finds chunk numbers with many
// expired rows and compacts them.
//
// It estimates how much is expired from a sample of the rows. So it need not remember anything across
// restarts, changes of the rules, or compactions by RocksDB.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "base/result.h"
#include "storage/tiers.h"

namespace statmill {

class RocksDatabase;

// Confined to one thread at a time.
class Reclaimer {
 public:
  static constexpr SeriesId kSampleRows = 64;
  static constexpr SeriesId kExpiredRowsMin = 4;  // of the sample: to free 1/16 the rest is written once more

  explicit Reclaimer(const Tiers& tiers) : tiers_(tiers) {}  // `tiers` must outlive it

  // As Store::reclaim.
  Result<bool> step(RocksDatabase& database, std::atomic<bool>& cancelled);

 private:
  // A pass visits all chunk numbers, tier by tier.
  struct Position {
    TierNo tier = 0;
    ChunkNo chunk = 0;
  };
  Status begin_pass(RocksDatabase& database);
  Status drop_files(RocksDatabase& database, TierNo tier);
  Result<bool> find_next(RocksDatabase& database);
  static Result<std::optional<ChunkNo>> next_chunk(RocksDatabase& database, Position from);
  static Result<bool> is_worth_compacting(RocksDatabase& database, Position at);
  static Status compact(RocksDatabase& database, Position at, std::atomic<bool>& cancelled);

  const Tiers& tiers_;
  std::array<ChunkNo, Tiers::kStoredMax> dropped_{};  // by tier: files below this chunk are deleted
  uint64_t version_ = 0;                              // of the expiry, when the current pass began
  Position position_;                                 // the pass has done everything before it
};

}  // namespace statmill
