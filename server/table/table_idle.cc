// Series that become idle and wake up again.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "server/table/table.h"

namespace statmill {
namespace {

// The most series that become idle while the index and their shard are locked: about 0.5 ms.
constexpr size_t kSettledTogether = 1024;

}  // namespace

SeriesArena::Number Table::wake(Shard& shard, uint64_t hash, SeriesPlace found) {
  if (found.is_awake()) return found.number();
  const IdleSeries idle = shard.idle[found.number()];
  const std::string name = shard.names->name(idle.row);
  SeriesArena::Number number = 0;
  {
    MutexLock names(names_mutex_);
    number = series_.add(name);
    IdleSeries::copy(idle, series_[number]);
  }
  series_bytes_.fetch_add(SeriesArena::bytes_for(name.size()) - sizeof(IdleSeries),
                          std::memory_order_relaxed);
  shard.index.replace(hash, found, SeriesPlace::awake(number));
  shard.idle.remove(found.number());
  idle_count_.fetch_sub(1, std::memory_order_relaxed);
  return number;
}

Series* Table::find_awake(Shard& shard, uint64_t hash, std::string_view name) {
  const SeriesPlace found = shard.find(hash, name, series_);
  return found.is_none() ? nullptr : &series_[wake(shard, hash, found)];
}

void Table::make_idle(Shard& shard, const Series& series) {
  const uint64_t hash = hash_of_(series.name());
  const SeriesPlace ref = shard.index.find(
      hash, [&](SeriesPlace one) { return one.is_awake() && &series_[one.number()] == &series; });
  const IdlePool::Number number = shard.idle.add();
  IdleSeries::copy(series, shard.idle[number]);
  shard.index.replace(hash, ref, SeriesPlace::idle(number));
  idle_count_.fetch_add(1, std::memory_order_relaxed);
  series_bytes_.fetch_sub(SeriesArena::bytes_for(series.name_size) - sizeof(IdleSeries),
                          std::memory_order_relaxed);
  ++shard.removals;
  MutexLock names(names_mutex_);
  series_.remove(ref.number());
}

// Makes the series idle that the last flush of the shard found at rest, unless they have got samples since.
// The lock of the index keeps their rows as they are.
void Table::settle(Shard& shard) {
  std::vector<Series*> resting;
  {
    MutexLock lock(shard.mutex);
    resting.swap(shard.resting);
  }
  for (std::span<Series* const> rest(resting); !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kSettledTogether));
    rest = rest.subspan(some.size());
    MutexLock turn(index_turn_);
    MutexLock index(index_mutex_);
    MutexLock lock(shard.mutex);
    for (const Series* const series : some) {
      if (series->is_at_rest() && series->row.is_indexed()) make_idle(shard, *series);
    }
  }
}

// What a flush does with the series that are idle.
void Table::flush_idle(Shard& shard, const FlushRules& rules, ShardFlush& out) const {
  const NameIndex& names = *shard.names;
  shard.idle.for_each([&](IdleSeries& s) {
    const bool wanted = retention().tiers(s.retention).keep_detail();
    if (s.is_detailed != wanted) {
      s.is_detailed = wanted;
      out.changed.push_back({s.id, s.kind, names.name(s.row), s.joined_power, s.is_detailed});
    }
    if (!rules.kept_from.empty() && out.silent.size() < rules.silent_max &&
        s.is_silent(rules.kept_from[s.retention]))
      out.silent.push_back(names.name(s.row));
    if (s.first_slot != Series::kNoSlot) out.activity.push_back({s.id, s.first_slot, s.last_slot});
  });
}

Table::Restored Table::restore_series(const SeriesRow& row, const SeriesActivity& known, bool is_idle) {
  const uint64_t hash = hash_of_(row.name);
  Shard& shard = shards_[shard_of(hash)];
  Restored out{nullptr, 0, retention().class_of(row.name)};
  const auto restore = [&](auto& series) {
    series.joined_power = row.joined_power & 0xf;
    series.is_detailed = row.is_detailed;
    if (known.first_slot == Series::kNoSlot) return;
    series.include_slot(known.first_slot);
    series.include_slot(known.last_slot);
  };
  active_count_.fetch_add(1, std::memory_order_relaxed);
  if (!is_idle) {
    MutexLock lock(shard.mutex);
    out.series = &create_series(shard, hash, row.name, row.kind, out.retention, row.id);
    restore(*out.series);
    return out;
  }
  MutexLock index(index_mutex_);
  MutexLock lock(shard.mutex);
  out.idle = shard.idle.add();
  IdleSeries& made = shard.idle[out.idle];
  made.row = index_->add(row.name);
  made.id = row.id;
  made.kind = row.kind;
  made.retention = out.retention;
  restore(made);
  shard.index.insert(hash, SeriesPlace::idle(out.idle));
  ++shard.active;
  idle_count_.fetch_add(1, std::memory_order_relaxed);
  series_count_.fetch_add(1, std::memory_order_relaxed);
  series_bytes_.fetch_add(sizeof(IdleSeries), std::memory_order_relaxed);
  count_index_bytes();
  MutexLock names(names_mutex_);
  ids_.include(row.id);
  return out;
}

Series* Table::restore_awake(ShardNo n, IdlePool::Number idle) {
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  const uint64_t hash = hash_of_(shard.names->name(shard.idle[idle].row));
  return &series_[wake(shard, hash, SeriesPlace::idle(idle))];
}

}  // namespace statmill
