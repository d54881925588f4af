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
    if (renewal_ != nullptr) renewal_->add(number, series.name());
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
      if (index_->removed_count() <= std::max(kRemovedMax, series_count() / 2)) return;
      MutexLock names(names_mutex_);
      renewal_ = std::make_unique<IndexRenewal>(hash_of_, series_.first());
    }
    for (const SeriesArena::Number number : next_to_renew(kSliceNames)) {
      if (!renewal_->has(number)) renewal_->add(number, series_[number].name());
    }
    count_index_bytes();
    if (renewal_->next() != 0) continue;
    replaced = index_;
    return replace_index();
  }
}

// Returns the next series whose names the index has. Those whose names wait for the index will be added to
// both.
std::vector<SeriesArena::Number> Table::next_to_renew(size_t most) {
  std::vector<SeriesArena::Number> out;
  MutexLock names(names_mutex_);
  SeriesArena::Number number = renewal_->next();
  for (size_t i = 0; i < most && number != 0; ++i) {
    if (series_[number].row.is_indexed()) out.push_back(number);
    number = series_.after(number);
  }
  renewal_->continue_at(number);
  return out;
}

void Table::replace_index() {
  {
    MutexLock names(names_mutex_);
    renewal_->continue_at(series_.first());
  }
  while (renewal_->next() != 0) {
    for (const SeriesArena::Number number : next_to_renew(kSliceNames))
      series_[number].row = renewal_->row(number);
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
