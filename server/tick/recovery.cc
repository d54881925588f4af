// See recovery.h.
#include "server/tick/recovery.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/hash.h"

namespace statmill {
namespace {

class Loader {
 public:
  Loader(Table& table, Expiry& expiry) : table_(table), expiry_(expiry) {}

  Status series(SeriesRow row) {
    make_room(row.id);
    if (by_id_[row.id].series != nullptr)
      return Error{ErrorCode::kCorrupt, "series " + std::to_string(row.id) + " twice"};
    by_id_[row.id] = {table_.restore_series(row), shard_of(hash_name(row.name)), false};
    expiry_.set_class(row.id, by_id_[row.id].series->retention);
    ++recovery_.series;
    return Status::ok();
  }

  Status deleted(SeriesId id) {
    make_room(id);
    by_id_[id].is_deleted = true;
    table_.restore_deleted(id);
    expiry_.set_class(id, kGone);
    return Status::ok();
  }

  Status shard(ShardNo shard, TickNo flushed, std::string_view activity) {
    auto list = decode_activity(activity);
    if (!list) return std::move(list).error().with("shard " + std::to_string(shard));
    for (const SeriesActivity& a : *list) {
      const auto series = known(a.id);
      if (!series) return series.error();
      if (series->is_deleted) continue;
      series->series->saw(a.first_slot);
      series->series->saw(a.last_slot);
    }
    table_.restore_shard(shard, flushed);
    recovery_.start.flushed[shard] = flushed;
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, flushed);
    return Status::ok();
  }

  Status journal(TickNo tick, RowPart part, std::string_view row) {
    ++recovery_.journal_rows;
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, tick);
    if (journal_row_version(row) == kJournalVersion1) return replay_v1(tick, part, row);
    rows_.push_back({tick, std::string(row), {}});
    auto opened = JournalRowReader::open(tick, part, rows_.back().bytes);
    if (!opened) return opened.error();
    rows_.back().reader = std::move(*opened);
    rows_.back().more = rows_.back().reader->next();
    return Status::ok();
  }

  // Not row by row but a block of series through all rows, so that their windows stay in the CPU's cache:
  // every row has most of the series, and a million of them do not fit.
  Status replay() {
    for (SeriesId begin = 0; begin < by_id_.size(); begin += kBlock) {
      for (Row& row : rows_) {
        if (Status s = replay(row, uint64_t{begin} + kBlock); !s) return s;
      }
    }
    for (const Row& row : rows_) {
      if (row.more) return known(row.reader->id()).error();
      if (row.reader->failed()) return corrupt(row.tick);
    }
    return Status::ok();
  }

  Recovery& recovery() { return recovery_; }

 private:
  struct Known {
    Series* series = nullptr;
    ShardNo shard = 0;
    bool is_deleted = false;  // then there is no series: what is left of it is stepped over
  };
  void make_room(SeriesId id) {
    if (id >= by_id_.size()) by_id_.resize(id + size_t{1});
  }
  Result<Known> known(SeriesId id) const {
    if (id >= by_id_.size() || (by_id_[id].series == nullptr && !by_id_[id].is_deleted)) {
      return Error{ErrorCode::kCorrupt, "series " + std::to_string(id) + " is not in the catalog"};
    }
    return by_id_[id];
  }

  struct Row {
    TickNo tick = 0;
    std::string bytes;
    std::optional<JournalRowReader> reader;
    bool more = false;  // the reader stands at a series
  };
  static constexpr SeriesId kBlock = 1024;

  static Error corrupt(TickNo tick) {
    return {ErrorCode::kCorrupt, "journal row of tick " + std::to_string(tick) + ": an impossible entry"};
  }

  // The series of a row below `end`.
  Status replay(Row& row, uint64_t end) {
    JournalRowReader& reader = *row.reader;
    for (; row.more && reader.id() < end; row.more = reader.next()) {
      const auto series = known(reader.id());
      if (!series) return series.error();
      bool sound = true;
      if (!series->is_deleted && row.tick > recovery_.start.flushed[series->shard]) {
        sound = table_.replay(series->shard, *series->series, reader.entries(), reader.entries_in());
        recovery_.journal_entries += reader.entries();
      } else {
        for (uint32_t i = 0; sound && i < reader.entries(); ++i) sound = skip_entry(reader.entries_in());
      }
      if (!sound) return corrupt(row.tick);
    }
    return Status::ok();
  }

  // Rows of the first version are older than all others.
  Status replay_v1(TickNo tick, RowPart part, std::string_view row) {
    const auto entries = decode_journal_row_v1(tick, part, row);
    if (!entries) return entries.error();
    for (const JournalEntry& e : *entries) {
      const auto series = known(e.id);
      if (!series) return series.error();
      if (series->is_deleted || tick <= recovery_.start.flushed[series->shard]) continue;
      table_.replay(series->shard, *series->series, e);
      ++recovery_.journal_entries;
    }
    return Status::ok();
  }

  Table& table_;
  Expiry& expiry_;
  std::vector<Known> by_id_;
  std::deque<Row> rows_;  // by tick; readers look into their bytes
  Recovery recovery_;
};

}  // namespace

Result<Recovery> recover(Store& store, Table& table) {
  Loader loader(table, store.expiry());
  const LoadVisitor visitor{
      [&](SeriesRow row) { return loader.series(std::move(row)); },
      [&](ShardNo shard, TickNo flushed, std::string_view activity) {
        return loader.shard(shard, flushed, activity);
      },
      [&](TickNo tick, RowPart part, std::string_view row) { return loader.journal(tick, part, row); },
      [&](SeriesId id) { return loader.deleted(id); }};
  if (Status s = store.load(visitor); !s) return s.error();
  if (Status s = loader.replay(); !s) return s.error();
  const auto snapshot = store.snapshot();
  const auto position = snapshot->rollup_position();
  if (!position) return position.error();
  loader.recovery().start.rollup = *position;
  const auto last_tick = snapshot->last_tick();
  if (!last_tick) return last_tick.error();
  // Ticks that wrote no row count too: a number is never used twice.
  loader.recovery().start.last_tick = std::max(loader.recovery().start.last_tick, *last_tick);
  return std::move(loader.recovery());
}

}  // namespace statmill
