// The index of names: the tick and queries add the names of created series to it, a slice at a time.
#include <algorithm>

#include "base/check.h"
#include "server/table/table.h"

namespace statmill {
namespace {

// The most names that are added while the index is locked: about 1 ms.
constexpr size_t kSliceNames = 1024;

}  // namespace

std::shared_ptr<const NameIndex> Table::names() const {
  // The names are added in the order in which the series were created, so these include all earlier ones.
  for (size_t left = unindexed_count_.load(std::memory_order_acquire); left > 0;) {
    { const MutexLock turn(index_turn_); }
    MutexLock lock(index_mutex_);
    const size_t indexed = index_slice(std::min(left, kSliceNames));
    if (indexed == 0) break;  // other threads were faster
    left -= indexed;
  }
  MutexLock names(names_mutex_);
  return read_index_;
}

void Table::index_names(size_t most) {
  for (size_t left = std::min(most, unindexed_count_.load(std::memory_order_relaxed)); left > 0;) {
    MutexLock turn(index_turn_);
    MutexLock lock(index_mutex_);
    const size_t indexed = index_slice(std::min(left, kSliceNames));
    if (indexed == 0) break;
    left -= indexed;
  }
}

// Adds the names of the oldest series that wait for it. Returns how many numbers it has removed from
// `unindexed_`. Nothing removes a series while the index is locked, so their names stay.
size_t Table::index_slice(size_t most) const {
  std::vector<SeriesArena::Number> waiting;
  size_t removed = 0;
  {
    MutexLock names(names_mutex_);
    removed = std::min(most, unindexed_.size());
    for (size_t i = 0; i < removed; ++i) {
      const SeriesArena::Number number = unindexed_.front();
      unindexed_.pop_front();
      // A series that was removed early left its number here, and another series may have the number since.
      if (series_[number].row == Series::kUnindexed) waiting.push_back(number);
    }
  }
  for (const SeriesArena::Number number : waiting) {
    Series& series = series_[number];
    if (series.row.is_indexed()) continue;  // the number was there twice
    series.row = index_->add(series.name());
    series_bytes_.fetch_sub(series.name_size, std::memory_order_relaxed);
  }
  count_index_bytes();
  unindexed_count_.fetch_sub(removed, std::memory_order_release);
  return removed;
}

void Table::count_index_bytes() const {
  const size_t next = renewal_ == nullptr ? 0 : renewal_->index()->ram_bytes();
  index_bytes_.store(index_->ram_bytes() + next, std::memory_order_relaxed);
}

void Table::renew_index(size_t most) {
  std::shared_ptr<NameIndex> replaced;  // destroyed last, without a lock
  for (size_t looked_at = 0; looked_at < most; looked_at += kSliceNames) {
    MutexLock turn(index_turn_);
    MutexLock lock(index_mutex_);
    if (renewal_ == nullptr) {
      if (index_->removed_count() <= std::max(kRemovedMax, series_count() / 8)) return;
      renewal_ = std::make_unique<IndexRenewal>(*index_, hash_of_);
    }
    const bool has_all = renewal_->copy(kSliceNames);
    count_index_bytes();
    if (!has_all) continue;
    replaced = index_;
    return replace_index();
  }
}

// All rows of a shard and the index that they are of change together.
void Table::replace_index() {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    for (Series* const s : shard.index.awake(series_)) {
      if (s->row.is_indexed()) s->row = renewal_->row(s->row);
    }
    const IndexRenewal& renewal = *renewal_;
    shard.idle.for_each([&renewal](IdleSeries& s) { s.row = renewal.row(s.row); });
    shard.names = renewal_->index();
  }
  index_ = renewal_->index();
  renewal_.reset();
  count_index_bytes();
  index_renewals_.fetch_add(1, std::memory_order_relaxed);
  MutexLock names(names_mutex_);
  read_index_ = index_;
}

void Table::search(const Glob& glob, const NameIndex::Visit& visit) const {
  SM_CHECK(names()->search(glob, visit));
}

}  // namespace statmill
