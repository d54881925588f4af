#include "storage/expiry.h"

#include <algorithm>
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
  const ChunkNo before = cutoff.load(std::memory_order_relaxed);
  if (first_kept == before) return;
  cutoff.store(first_kept, std::memory_order_release);
  if (first_kept > before) raise_end(tier, first_kept);
}

void Expiry::set_floor(TierNo tier, ChunkNo floor) {
  const ChunkNo before = floors_[tier].exchange(floor, std::memory_order_acq_rel);
  set_dropped(tier, floor);
  if (floor > before) raise_end(tier, floor);
}

void Expiry::set_dropped(TierNo tier, ChunkNo chunk) {
  if (chunk > dropped(tier)) dropped_[tier].store(chunk, std::memory_order_relaxed);
}

void Expiry::set_whole_from(RetentionClass retention, ChunkNo chunk) {
  whole_from_[retention].store(chunk, std::memory_order_relaxed);
}

ChunkNo Expiry::whole_from(RetentionClass retention) const {
  return std::max(dropped(0), whole_from_[retention].load(std::memory_order_relaxed));
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
