// See expiry.h.
#include "storage/expiry.h"

#include <limits>

#include "base/check.h"

namespace statmill {

void Expiry::set_class(SeriesId id, RetentionClass retention) {
  std::atomic<Page*>& page = pages_[id / kPageIds];
  if (page.load(std::memory_order_relaxed) == nullptr) {
    if (retention == kDefaultRetention) return;
    page.store(owned_pages_.emplace_back(std::make_unique<Page>()).get(), std::memory_order_release);
  }
  (*page.load(std::memory_order_relaxed))[id % kPageIds].store(retention, std::memory_order_relaxed);
  if (retention != kGone) return;
  for (auto& end : end_) end.store(std::numeric_limits<ChunkNo>::max(), std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
}

void Expiry::set_cutoff(TierNo tier, RetentionClass retention, ChunkNo first_kept) {
  SM_CHECK(retention != kGone);
  std::atomic<ChunkNo>& cutoff = cutoffs_[tier][retention];
  if (first_kept <= cutoff.load(std::memory_order_relaxed)) return;
  cutoff.store(first_kept, std::memory_order_relaxed);
  raise_end(tier, first_kept);
}

void Expiry::set_floor(TierNo tier, ChunkNo floor) {
  if (floor <= floors_[tier].load(std::memory_order_relaxed)) return;
  floors_[tier].store(floor, std::memory_order_release);
  raise_end(tier, floor);
}

void Expiry::raise_end(TierNo tier, ChunkNo end) {
  if (end > end_[tier].load(std::memory_order_relaxed)) end_[tier].store(end, std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
}

RetentionClass Expiry::class_of(SeriesId id) const {
  const Page* const page = pages_[id / kPageIds].load(std::memory_order_acquire);
  return page == nullptr ? kDefaultRetention : (*page)[id % kPageIds].load(std::memory_order_relaxed);
}

bool Expiry::is_expired(const ChunkKey& key) const {
  if (key.chunk >= end(key.tier)) return false;
  if (key.chunk < floor(key.tier)) return true;
  const RetentionClass retention = class_of(key.id);
  return retention == kGone || key.chunk < cutoffs_[key.tier][retention].load(std::memory_order_relaxed);
}

}  // namespace statmill
