// Reclaimer: drops the files of a RocksDatabase of which nothing is kept, then finds chunk numbers that hold
// much that is expired, and has them compacted.
//
// How much is expired is found by looking at a sample of the rows, so nothing needs to be remembered: neither
// over a restart, nor when rules change, nor what compactions have dropped on their own.
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
  static constexpr SeriesId kExpiredRowsMin = 4;  // of the sample: to win 1/16 the rest is written once more

  explicit Reclaimer(const Tiers& tiers) : tiers_(tiers) {}  // `tiers` must outlive it

  // As Store::reclaim.
  Result<bool> step(RocksDatabase& database, std::atomic<bool>& cancelled);

 private:
  Status drop_files(RocksDatabase& database, TierNo tier);
  Result<std::optional<ChunkNo>> next_chunk(RocksDatabase& database, TierNo tier, ChunkNo from);
  Result<bool> is_worth_it(RocksDatabase& database, TierNo tier, ChunkNo chunk);
  Status compact(RocksDatabase& database, TierNo tier, ChunkNo chunk, std::atomic<bool>& cancelled);

  const Tiers& tiers_;
  std::array<ChunkNo, Tiers::kCountMax> dropped_{};  // by tier: files below are gone
  uint64_t version_ = 0;                             // of the expiry, which the walk is about
  TierNo tier_ = 0;                                  // where the walk is
  ChunkNo chunk_ = 0;
};

}  // namespace statmill
