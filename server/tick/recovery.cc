// See recovery.h.
#include "server/tick/recovery.h"

#include <algorithm>

#include "base/hash.h"

namespace statmill {
namespace {

class Loader {
 public:
  explicit Loader(Table& table) : table_(table) {}

  Status series(SeriesRow row) {
    if (row.id >= by_id_.size()) by_id_.resize(row.id + size_t{1});
    if (by_id_[row.id] != nullptr)
      return Error{ErrorCode::kCorrupt, "series " + std::to_string(row.id) + " twice"};
    by_id_[row.id] = table_.restore_series(row);
    ++recovery_.series;
    return Status::ok();
  }

  Status shard(ShardNo shard, TickNo flushed, std::string_view activity) {
    auto list = decode_activity(activity);
    if (!list) return std::move(list).error().with("shard " + std::to_string(shard));
    for (const SeriesActivity& a : *list) {
      const auto series = known(a.id);
      if (!series) return series.error();
      (*series)->saw(a.first_slot);
      (*series)->saw(a.last_slot);
    }
    table_.restore_shard(shard, flushed);
    recovery_.start.flushed[shard] = flushed;
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, flushed);
    return Status::ok();
  }

  Status journal(TickNo tick, ShardNo shard, std::string_view row) {
    auto entries = decode_journal_row(tick, shard, row);
    if (!entries) return std::move(entries).error().with("journal row " + std::to_string(tick));
    for (const JournalEntry& e : *entries) {
      const auto series = known(e.id);
      if (!series) return series.error();
      table_.restore_pending(shard, **series, e);
    }
    ++recovery_.journal_rows;
    recovery_.journal_entries += entries->size();
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, tick);
    return Status::ok();
  }

  Recovery& recovery() { return recovery_; }

 private:
  Result<Series*> known(SeriesId id) const {
    if (id >= by_id_.size() || by_id_[id] == nullptr) {
      return Error{ErrorCode::kCorrupt, "series " + std::to_string(id) + " is not in the catalog"};
    }
    return by_id_[id];
  }

  Table& table_;
  std::vector<Series*> by_id_;
  Recovery recovery_;
};

}  // namespace

Result<Recovery> recover(Store& store, Table& table) {
  Loader loader(table);
  const LoadVisitor visitor{
      [&](SeriesRow row) { return loader.series(std::move(row)); },
      [&](ShardNo shard, TickNo flushed, std::string_view activity) {
        return loader.shard(shard, flushed, activity);
      },
      [&](TickNo tick, ShardNo shard, std::string_view row) { return loader.journal(tick, shard, row); }};
  if (Status s = store.load(visitor); !s) return s.error();
  const auto position = store.snapshot()->rollup_position();
  if (!position) return position.error();
  loader.recovery().start.rollup = *position;
  return std::move(loader.recovery());
}

}  // namespace statmill
