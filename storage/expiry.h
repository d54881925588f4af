// Expiry: which chunks are past the retention of their series. The server sets the class of each series and
// the first kept chunk of each class; the store asks when it rewrites its files. The store itself sets the
// floors, below which nothing of any class is kept.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

// One writer at a time, any number of readers. RAM: 128 KiB, and 1 MiB per million ids if any of them has
// another class than the default. The server sets the classes at each start; the store sets the floors.
class Expiry {
 public:
  // Until this is called a series has the default class, or kGone if it has the id of a deleted one: call it
  // before any chunk of the series is written and, at start, for all series before the first cutoff.
  void set_class(SeriesId id, RetentionClass retention);
  // Chunks of the class below `first_kept` are expired. If the cutoff is lowered, chunks that no compaction
  // has dropped yet are kept again. Requires: the expired chunks are rolled up, since they may be gone at any
  // time; `retention` is not kGone, whose chunks are always expired.
  void set_cutoff(TierNo tier, RetentionClass retention, ChunkNo first_kept);
  // A reader of a new cutoff sees all that its writer wrote before, such as a new retention.
  ChunkNo cutoff(TierNo tier, RetentionClass retention) const {
    return cutoffs_[tier][retention].load(std::memory_order_acquire);
  }

  // Chunks of the tier below the floor are dropped, whatever their class. A lowered floor keeps new data
  // there.
  void set_floor(TierNo tier, ChunkNo floor);
  ChunkNo floor(TierNo tier) const { return floors_[tier].load(std::memory_order_acquire); }

  // In the finest tier, chunks of the class below this one may lack data that was dropped: the coarser tiers
  // know more, so nothing may be rolled up from those chunks. At least the highest floor so far.
  void set_whole_from(RetentionClass retention, ChunkNo chunk);
  ChunkNo whole_from(RetentionClass retention) const;

  // The highest floor of the tier so far; the store sets it at start.
  void set_dropped(TierNo tier, ChunkNo chunk);
  ChunkNo dropped(TierNo tier) const { return dropped_[tier].load(std::memory_order_relaxed); }

  RetentionClass class_of(SeriesId id) const;
  bool is_expired(const ChunkKey& key) const;
  // No chunk of the tier at or above this one is expired.
  ChunkNo end(TierNo tier) const { return end_[tier].load(std::memory_order_acquire); }
  // Changes whenever more may have expired.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  void raise_end(TierNo tier, ChunkNo end);

  static constexpr int kPageBits = 18;
  static constexpr size_t kPageIds = size_t{1} << kPageBits;
  using Page = std::array<std::atomic<RetentionClass>, kPageIds>;

  std::vector<std::unique_ptr<Page>> owned_pages_;  // used by the writer only
  // The writer writes all that follows. Readers acquire `end_` before they look at a class or its cutoff: the
  // writer sets every class and cutoff below an end before it releases that end.
  std::array<std::atomic<Page*>, (size_t{1} << 32) / kPageIds> pages_{};  // null: all have the default class
  std::array<std::array<std::atomic<ChunkNo>, 256>, Tiers::kStoredMax> cutoffs_{};
  std::array<std::atomic<ChunkNo>, Tiers::kStoredMax> floors_{};  // independent of the other fields
  std::array<std::atomic<ChunkNo>, Tiers::kStoredMax> end_{};
  std::array<std::atomic<ChunkNo>, Tiers::kStoredMax> dropped_{};  // independent of the other fields
  std::array<std::atomic<ChunkNo>, 256> whole_from_{};             // independent of the other fields
  std::atomic<uint64_t> version_{0};
};

}  // namespace statmill
