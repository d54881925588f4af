#include "server/tick/id_reuse.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace statmill {

void IdReuse::retire(std::span<const SeriesId> ids, TickNo tick) {
  if (ids.empty()) return;
  MutexLock lock(mutex_);
  newest_.insert(newest_.end(), ids.begin(), ids.end());
  newest_tick_ = tick;
}

void IdReuse::note_flushed(TickNo tick) {
  MutexLock lock(mutex_);
  if (older_tick_ <= tick) {
    flushed_.insert(flushed_.end(), older_.begin(), older_.end());
    older_ = std::exchange(newest_, {});
    older_tick_ = newest_tick_;
  }
}

// Returns whether there are ids to look for.
bool IdReuse::begin_round() {
  MutexLock lock(mutex_);
  if (flushed_.size() < std::max(ids_min_, table_.series_count() / 8)) return false;
  round_ = std::exchange(flushed_, {});
  return true;
}

Status IdReuse::step(const std::atomic<bool>& cancelled) {
  if (round_.empty()) {
    if (!begin_round()) return Status::ok();
    round_.insert(round_.end(), with_chunks_.begin(), with_chunks_.end());
    std::sort(round_.begin(), round_.end());
    round_moment_ = store_.moment();
  }
  if (store_.has_snapshot_before(round_moment_)) return Status::ok();
  const auto unused = store_.without_chunks(round_, cancelled);
  if (!unused) return unused.error();
  with_chunks_.clear();
  std::set_difference(round_.begin(), round_.end(), unused->begin(), unused->end(),
                      std::back_inserter(with_chunks_));
  round_.clear();
  table_.reuse_ids(*unused);
  return Status::ok();
}

}  // namespace statmill
