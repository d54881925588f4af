#include "server/tick/recovery.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <thread>
#include <utility>

#include "base/radix_sort.h"
#include "server/tick/replay.h"
#include "server/tick/whole_chunks.h"

namespace statmill {
namespace {

class Loader {
 public:
  Loader(Table& table, Expiry& expiry, Damage damage, std::optional<WholeRow> whole)
      : table_(table),
        expiry_(expiry),
        salvages_(damage == Damage::kSalvage),
        whole_chunks_(whole, table.retention()) {
    recovery_.start.whole = std::move(whole);
  }

  Status series(const SeriesRow& row) {
    make_entry(row.id);
    if (by_id_[row.id].is_known())
      return Error{ErrorCode::kCorrupt, "series " + std::to_string(row.id) + " is in the catalog twice"};
    const auto activity = activity_of(row.id);
    if (!activity) return activity.error();
    // By the newest sample that a flush has seen.
    const Slot idle_before = newest_slot_ - Series::kIdleS / table_.tiers().finest().step_s;
    const bool is_idle = activity->last_slot != Series::kNoSlot && activity->last_slot < idle_before;
    const Table::Restored made = table_.restore_series(row, *activity, is_idle);
    by_id_[row.id] = {made.series, table_.shard_of_name(row.name), false, is_idle, made.idle};
    expiry_.set_class(row.id, made.retention);
    whole_chunks_.add(row.name, made.retention);
    ++recovery_.series;
    return Status::ok();
  }

  Status deleted(SeriesId id) {
    make_entry(id);
    if (const auto activity = activity_of(id); !activity) return activity.error();
    by_id_[id].is_deleted = true;
    table_.restore_deleted(id);
    deleted_.push_back(id);
    expiry_.set_class(id, kGone);
    return Status::ok();
  }

  Status shard(ShardNo shard, TickNo flushed, std::string_view activity) {
    table_.restore_shard(shard, flushed);
    recovery_.start.flushed[shard] = flushed;
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, flushed);
    auto list = decode_activity(activity);
    if (!list && salvages_) {
      ++recovery_.losses.activity_rows;
      return Status::ok();
    }
    if (!list) return std::move(list).error().with("shard " + std::to_string(shard));
    for (const SeriesActivity& a : *list) {
      activity_.push_back(a);
      newest_slot_ = std::max(newest_slot_, a.last_slot);
    }
    is_sorted_ = false;
    return Status::ok();
  }

  Status journal(TickNo tick, std::string_view row) {
    ++recovery_.journal_rows;
    recovery_.start.last_tick = std::max(recovery_.start.last_tick, tick);
    const TickNo last = std::exchange(recovery_.start.last_row, tick);
    rows_.push_back({tick, std::string(row)});
    ReplayRow& added = rows_.back();
    auto opened = JournalRowReader::open(tick, added.bytes);
    if (!opened) return salvages_ ? skip_row(tick) : opened.error();
    if (Status s = check_previous_row(tick, opened->previous(), last); !s) return s;
    added.decodable_from = decodable_from_;
    added.reader = *opened;
    return Status::ok();
  }

  Status replay() {
    if (const auto rest = activity_of(std::numeric_limits<SeriesId>::max()); !rest) return rest.error();
    std::vector<SeriesActivity>().swap(activity_);
    // A bare thread, as those of the replay. Without it, the first query would wait 0.2 to 0.5 s per million
    // series.
    std::thread indexing([this] { table_.names(); });
    const auto counts = statmill::replay(
        {by_id_, recovery_.start.flushed, rows_, table_.tiers().detail_ratio(), salvages_,
         [this](ShardNo shard, IdlePool::Number idle) { return table_.restore_awake(shard, idle); }});
    indexing.join();
    if (!counts) return counts.error();
    table_.end_replay();
    recovery_.start.whole_from = whole_chunks_.by_class();
    for (const SeriesId id : deleted_) {
      TickStart& start = recovery_.start;
      (by_id_[id].has_entries ? start.deleted_in_journal : start.deleted).push_back(id);
    }
    recovery_.journal_entries += counts->entries;
    recovery_.losses.entries += counts->without_reference;
    recovery_.losses.entries_of_unknown_series += counts->of_unknown_series;
    return Status::ok();
  }

  Recovery& recovery() { return recovery_; }

 private:
  void make_entry(SeriesId id) {
    if (id >= by_id_.size()) by_id_.resize(id + size_t{1});
  }
  // Returns what the shards know of a series. Requires: calls ascend by id. Errors: kCorrupt, the shards know
  // a series between the one before and this one.
  Result<SeriesActivity> activity_of(SeriesId id) {
    if (!is_sorted_) radix_sort(activity_, [](const SeriesActivity& a) { return a.id; });
    is_sorted_ = true;
    for (; next_activity_ < activity_.size() && activity_[next_activity_].id < id; ++next_activity_) {
      if (!salvages_) return unknown_series(activity_[next_activity_].id);
    }
    SeriesActivity out{id, Series::kNoSlot, Series::kNoSlot};
    for (; next_activity_ < activity_.size() && activity_[next_activity_].id == id; ++next_activity_) {
      const SeriesActivity& a = activity_[next_activity_];
      out.first_slot =
          out.first_slot == Series::kNoSlot ? a.first_slot : std::min(out.first_slot, a.first_slot);
      out.last_slot = std::max(out.last_slot, a.last_slot);
    }
    return out;
  }

  // Checks that the row `previous` before this one was the `last` one loaded. The store does not load rows up
  // to the lowest flushed tick, so the first row may name one of those.
  Status check_previous_row(TickNo tick, TickNo previous, TickNo last) {
    const TickNo needed = *std::min_element(recovery_.start.flushed.begin(), recovery_.start.flushed.end());
    if (previous == last || (last == 0 && previous <= needed)) return Status::ok();
    if (!salvages_) {
      return Error{ErrorCode::kCorrupt, "journal row of tick " + std::to_string(tick) + ": the row of tick " +
                                            std::to_string(previous) + " before it is missing"};
    }
    ++recovery_.losses.gaps;
    decodable_from_ = previous;
    return Status::ok();
  }

  Status skip_row(TickNo tick) {
    ++recovery_.losses.rows_damaged;
    decodable_from_ = tick;
    return Status::ok();
  }

  Table& table_;
  Expiry& expiry_;
  const bool salvages_;
  WholeChunks whole_chunks_;
  std::vector<KnownSeries> by_id_;
  std::vector<SeriesId> deleted_;
  std::vector<SeriesActivity> activity_;  // of all shards
  bool is_sorted_ = true;                 // by id
  size_t next_activity_ = 0;
  Slot newest_slot_ = Series::kNoSlot;  // of `activity_`
  std::deque<ReplayRow> rows_;          // a deque, because the readers point into the rows
  TickNo decodable_from_ = 0;
  Recovery recovery_;
};

struct Secret {
  std::optional<HashSecret> value;
  bool is_new = false;
};

// Returns the secret of the store, or `of_new` if nothing was ever written to it.
Result<Secret> find_secret(Store& store, const std::optional<HashSecret>& of_new) {
  const auto snapshot = store.snapshot();
  const auto stored = snapshot->hash_secret();
  if (!stored) return stored.error();
  if (*stored || !of_new) return Secret{*stored, false};
  const auto last_tick = snapshot->last_tick();
  if (!last_tick) return last_tick.error();
  return *last_tick == 0 ? Secret{of_new, true} : Secret{};
}

}  // namespace

Result<Recovery> recover(Store& store, Table& table, Damage damage,
                         const std::optional<HashSecret>& secret_of_new_store) {
  const auto secret = find_secret(store, secret_of_new_store);
  if (!secret) return secret.error();
  if (secret->value) table.set_secret(*secret->value);
  auto whole = store.snapshot()->whole();
  if (!whole) return whole.error();
  Loader loader(table, store.expiry(), damage, *std::move(whole));
  const LoadVisitor visitor{[&](const SeriesRow& row) { return loader.series(row); },
                            [&](ShardNo shard, TickNo flushed, std::string_view activity) {
                              return loader.shard(shard, flushed, activity);
                            },
                            [&](TickNo tick, std::string_view row) { return loader.journal(tick, row); },
                            [&](SeriesId id) { return loader.deleted(id); }};
  if (Status s = store.load(visitor); !s) return s.error();
  if (Status s = loader.replay(); !s) return s.error();
  if (secret->is_new) loader.recovery().start.new_secret = secret->value;
  const auto snapshot = store.snapshot();
  const auto position = snapshot->rollup_position();
  if (!position) return position.error();
  loader.recovery().start.rollup = *position;
  auto families = snapshot->families();
  if (!families) return families.error();
  loader.recovery().family_rows_damaged = families->damaged.size();
  table.restore_families(std::move(*families));
  const auto clock = snapshot->clock();
  if (!clock) return clock.error();
  loader.recovery().start.clock = *clock;
  const auto last_tick = snapshot->last_tick();
  if (!last_tick) return last_tick.error();
  // Includes ticks that wrote no row, because a tick's number must never be used twice.
  loader.recovery().start.last_tick = std::max(loader.recovery().start.last_tick, *last_tick);
  return loader.recovery();
}

}  // namespace statmill
