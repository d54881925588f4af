#include "server/tick/id_reuse.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kIdsPerRelease = 16'384;  // ingest waits while the table gets them

}  // namespace

void IdReuse::retire(std::span<const SeriesId> ids, TickNo tick) {
  if (ids.empty()) return;
  MutexLock lock(mutex_);
  newest_.insert(newest_.end(), ids.begin(), ids.end());
  newest_tick_ = tick;
}

void IdReuse::retire_without_journal(std::span<const SeriesId> ids) {
  MutexLock lock(mutex_);
  flushed_.insert(flushed_.end(), ids.begin(), ids.end());
}

void IdReuse::note_flushed(TickNo tick) {
  MutexLock lock(mutex_);
  if (older_tick_ > tick) return;
  flushed_.insert(flushed_.end(), older_.begin(), older_.end());
  older_ = std::exchange(newest_, {});
  older_tick_ = newest_tick_;
}

Result<bool> IdReuse::step(const std::atomic<bool>& cancelled) {
  if (round_.empty() && !begin_round()) return false;
  if (!is_searching_) {
    if (store_.has_snapshot_before(round_moment_)) return false;
    is_searching_ = true;
    place_ = {};
    unused_ = round_;
  }
  const auto next = store_.remove_used(unused_, place_, cancelled);
  if (!next) {
    if (next.error().code != ErrorCode::kUnavailable) end_round({});
    return next.error();
  }
  if (*next && !unused_.empty()) {
    place_ = **next;
    return true;
  }
  end_round(std::exchange(unused_, {}));
  return false;
}

// Returns whether there are enough ids.
bool IdReuse::begin_round() {
  {
    MutexLock lock(mutex_);
    if (flushed_.size() < std::max(ids_min_, table_.series_count() / 8)) return false;
    round_ = std::exchange(flushed_, {});
  }
  round_.insert(round_.end(), with_chunks_.begin(), with_chunks_.end());
  with_chunks_.clear();
  std::sort(round_.begin(), round_.end());
  SM_CHECK(std::adjacent_find(round_.begin(), round_.end()) == round_.end());
  round_moment_ = store_.moment();
  return true;
}

void IdReuse::end_round(const std::vector<SeriesId>& unused) {
  std::set_difference(round_.begin(), round_.end(), unused.begin(), unused.end(),
                      std::back_inserter(with_chunks_));
  round_.clear();
  is_searching_ = false;
  for (size_t begin = 0; begin < unused.size(); begin += kIdsPerRelease)
    table_.reuse_ids(std::span(unused).subspan(begin, std::min(kIdsPerRelease, unused.size() - begin)));
}

}  // namespace statmill
