#include "storage/rocks/store_counters.h"

namespace statmill {
namespace {

constexpr std::array<StallState, 3> kStateOfCondition = {StallState::kNone, StallState::kSlowed,
                                                         StallState::kStopped};
static_assert(static_cast<size_t>(rocksdb::WriteStallCondition::kNormal) == 0 &&
              static_cast<size_t>(rocksdb::WriteStallCondition::kDelayed) == 1 &&
              static_cast<size_t>(rocksdb::WriteStallCondition::kStopped) == 2);

}  // namespace

StoreCounters::StoreCounters() : statistics_(rocksdb::CreateDBStatistics()) {
  statistics_->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
}

void StoreCounters::count_stall(StallState began) {
  if (began == StallState::kSlowed) slowdowns_.fetch_add(1, std::memory_order_relaxed);
  if (began == StallState::kStopped) stops_.fetch_add(1, std::memory_order_relaxed);
}

WrittenBytes StoreCounters::written() const {
  return {ticker(rocksdb::WAL_FILE_BYTES), ticker(rocksdb::FLUSH_WRITE_BYTES),
          ticker(rocksdb::COMPACT_WRITE_BYTES)};
}

CacheLookups StoreCounters::cache_lookups() const {
  return {ticker(rocksdb::BLOCK_CACHE_HIT), ticker(rocksdb::BLOCK_CACHE_MISS)};
}

WriteStalls StoreCounters::stalls() const {
  return {slowdowns_.load(std::memory_order_relaxed), stops_.load(std::memory_order_relaxed),
          std::chrono::microseconds(ticker(rocksdb::STALL_MICROS))};
}

void StallListener::note_opened(StallState state) {
  MutexLock lock(mutex_);
  if (!changed_families_.empty() || state == StallState::kNone) return;
  counters_->count_stall(state);
  counters_->set_stall_state(state);
}

void StallListener::OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) {
  const auto before = static_cast<size_t>(info.condition.prev);
  const auto now = static_cast<size_t>(info.condition.cur);
  if (now > before) counters_->count_stall(kStateOfCondition.at(now));
  MutexLock lock(mutex_);
  if (changed_families_.insert(info.cf_name).second) ++families_.at(before);
  --families_.at(before);
  ++families_.at(now);
  counters_->set_stall_state(families_[2] > 0   ? StallState::kStopped
                             : families_[1] > 0 ? StallState::kSlowed
                                                : StallState::kNone);
}

}  // namespace statmill
