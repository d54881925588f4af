// IdReuse: finds out when the id of a deleted series may be another's.
//
// Four things may refer to such an id. The journal: until all shards are flushed, after which a start skips
// its rows. Queries: as long as they have a snapshot from before. The store: as long as it has a chunk of the
// series, which its compactions drop in their own time. The catalog: its row says that the series is deleted,
// until the row of the next series with the id replaces it.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {

// The tick thread calls retire() and note_flushed(), one other thread calls step().
class IdReuse {
 public:
  // Fewer ids than this, or than an eighth of the series, are not worth a search of the store.
  static constexpr size_t kIdsMin = 16'384;

  // Both must outlive this object.
  IdReuse(Table& table, Store& store, size_t ids_min = kIdsMin)
      : table_(table), store_(store), ids_min_(ids_min) {}

  // The series of these ids are deleted from table and store, by a tick not later than `tick`.
  void retire(std::span<const SeriesId> ids, TickNo tick);
  // The same, and the journal has no entries of them.
  void retire_without_journal(std::span<const SeriesId> ids);
  // Each shard has been flushed by the tick `tick` or a later one, and the store has it.
  void note_flushed(TickNo tick);

  // Searches the next chunk number of the store, if there are enough ids. At the end of the search it gives
  // the table those to which nothing refers any more. Returns whether the search goes on: call it again soon
  // then, else in a second or so. Cost: that of Store::remove_used(). Errors: those of it; after kUnavailable
  // the search goes on with the next call, otherwise it has ended without a result.
  Result<bool> step(const std::atomic<bool>& cancelled);

 private:
  bool begin_round();
  void end_round(const std::vector<SeriesId>& unused);

  Table& table_;
  Store& store_;
  const size_t ids_min_;

  Mutex mutex_;
  // The journal may have entries of all these: `newest_` were added while `older_` waited for the flushes.
  std::vector<SeriesId> newest_ GUARDED_BY(mutex_);
  TickNo newest_tick_ GUARDED_BY(mutex_) = 0;
  std::vector<SeriesId> older_ GUARDED_BY(mutex_);
  TickNo older_tick_ GUARDED_BY(mutex_) = 0;
  std::vector<SeriesId> flushed_ GUARDED_BY(mutex_);  // the journal has no entries of these

  // Used by step() only. A round is one search for these ids, which ascend.
  std::vector<SeriesId> round_;
  uint64_t round_moment_ = 0;  // the search begins when all older queries have ended
  bool is_searching_ = false;
  TierChunk place_;                    // all before is searched
  std::vector<SeriesId> unused_;       // those of `round_` that had no chunk there
  std::vector<SeriesId> with_chunks_;  // of earlier rounds: the next one searches for them, too
};

}  // namespace statmill
