// Expiry: which chunks are past the retention of their series. The server says what class a series is of and
// from which chunk on a class is kept; the store asks when it rewrites its files. The store itself knows
// below which chunk nothing is left of any class.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

// One writer at a time, any number of readers. RAM: 128 KiB, and 1 MiB per million ids if any of them is of
// another class than the default. Told anew at each start, the floors by the store.
class Expiry {
 public:
  // Until this is called the series is of the default class: call it before any chunk of it is written and,
  // at start, for all series before the first cutoff.
  void set_class(SeriesId id, RetentionClass retention);
  // Chunks of the class below `first_kept` are expired. When it falls, what no compaction has dropped
  // meanwhile is kept again. Requires: they are rolled up, for nobody may need them again; not kGone, of
  // which all is expired at any time.
  void set_cutoff(TierNo tier, RetentionClass retention, ChunkNo first_kept);
  ChunkNo cutoff(TierNo tier, RetentionClass retention) const {
    return cutoffs_[tier][retention].load(std::memory_order_relaxed);
  }

  // Chunks of the tier below are dropped, of every class. When it falls, new data are kept there.
  void set_floor(TierNo tier, ChunkNo floor);
  ChunkNo floor(TierNo tier) const { return floors_[tier].load(std::memory_order_acquire); }

  // In the finest tier chunks of the class below may lack data that has been dropped: the coarser tiers know
  // more, and nothing may be computed anew from them. No lower than any floor was.
  void set_whole_from(RetentionClass retention, ChunkNo chunk);
  ChunkNo whole_from(RetentionClass retention) const;

  // The highest floor of the tier so far; at a start the store says it.
  void set_dropped(TierNo tier, ChunkNo chunk);
  ChunkNo dropped(TierNo tier) const { return dropped_[tier].load(std::memory_order_relaxed); }

  RetentionClass class_of(SeriesId id) const;
  bool is_expired(const ChunkKey& key) const;
  // No chunk of the tier from here on is expired.
  ChunkNo end(TierNo tier) const { return end_[tier].load(std::memory_order_acquire); }
  // Changes whenever more may have expired.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  void raise_end(TierNo tier, ChunkNo end);

  static constexpr int kPageBits = 18;
  static constexpr size_t kPageIds = size_t{1} << kPageBits;
  using Page = std::array<std::atomic<RetentionClass>, kPageIds>;

  std::vector<std::unique_ptr<Page>> owned_pages_;  // the writer's
  // The rest is written by the writer. Readers acquire `end_` before they look at a class or its cutoff: what
  // is below an end was told, with the class of every series, before that end was released.
  std::array<std::atomic<Page*>, (size_t{1} << 32) / kPageIds> pages_{};  // null: all of the default class
  std::array<std::array<std::atomic<ChunkNo>, 256>, Tiers::kCountMax> cutoffs_{};
  std::array<std::atomic<ChunkNo>, Tiers::kCountMax> floors_{};  // stands for itself
  std::array<std::atomic<ChunkNo>, Tiers::kCountMax> end_{};
  std::array<std::atomic<ChunkNo>, Tiers::kCountMax> dropped_{};  // stands for itself
  std::array<std::atomic<ChunkNo>, 256> whole_from_{};            // likewise
  std::atomic<uint64_t> version_{0};
};

}  // namespace statmill
