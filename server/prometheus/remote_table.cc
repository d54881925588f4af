#include "server/prometheus/remote_table.h"

#include <algorithm>
#include <set>

namespace statmill {

RemoteTable::RemoteTable(const RemoteOptions& options, Table& table, const FamilyTypes& types,
                         Registry& registry)
    : options_(options),
      late_window_{std::min(options.out_of_order, options.forget).count(),
                   table.tiers().finest().step_s * 1000},
      table_(table),
      types_(types),
      repeated_(registry.counter("statmill.remote_samples_repeated",
                                 "Samples of remote_write that came again, and were not counted again.")),
      older_(registry.counter("statmill.remote_counters_older",
                              "Samples of counters that were older than the last one, which has what they "
                              "counted.")),
      late_(registry.counter("statmill.remote_gauges_late",
                             "Samples of gauges that were older than the last one, and were added.")),
      late_repeated_(
          registry.counter("statmill.remote_gauges_late_repeated",
                           "Samples of gauges that were older than the last one, and not added, as "
                           "their slot had a sample.")),
      resets_(registry.counter("statmill.remote_resets", "Counters that began again.")),
      histograms_changed_(registry.counter(
          "statmill.remote_histograms_changed",
          "Cumulative histograms that came in other buckets, so that nobody knows what they went up by.")),
      forgotten_(registry.counter("statmill.remote_series_forgotten",
                                  "Series of remote_write whose last value is forgotten.")) {
  registry.gauge_fn("statmill.remote_series", "Series of remote_write whose last value is known.", {},
                    [this] { return static_cast<double>(series()); });
  registry.gauge_fn("statmill.remote_value_bytes", "RAM of the last values of remote_write.", {},
                    [this] { return static_cast<double>(memory_bytes()); });
}

Result<RemoteTable::Restored> RemoteTable::restore(StoreSnapshot& snapshot, Timestamp now,
                                                   bool skips_damage) {
  MutexLock lock(mutex_);
  Restored restored;
  int64_t newest_s = 0;
  const auto read_row = [&](TickNo tick, std::string_view bytes) -> Status {
    mutex_.held();
    journal_.restore_row(tick, bytes.size());
    Result<ValueRowReader> reader = ValueRowReader::open(tick, bytes);
    if (!reader) return reader.error();
    for (;;) {
      const auto value = reader->next();
      if (!value) return value.error();
      if (!*value) return Status::ok();
      newest_s = std::max(newest_s, (*value)->seen_s);
      const LastValueTable::Place place = values_.find((*value)->name);
      if (place == LastValueTable::kNone) {
        values_.insert(**value);
      } else {
        values_.set(place, **value);
      }
    }
  };
  const Status read = snapshot.values([&](TickNo tick, std::string_view bytes) -> Status {
    Status row = read_row(tick, bytes);
    if (row || !skips_damage) return row;
    ++restored.damaged_rows;
    return Status::ok();
  });
  if (!read) return read.error();
  const int64_t stopped_s = std::max<int64_t>(0, unix_seconds(now) - newest_s);
  for (LastValueTable::Place place = 0; place < values_.places(); ++place)
    values_.set_seen(place, values_.seen_s(place) + stopped_s);
  restored.values = values_.size();
  return restored;
}

namespace {

// So few that what is prefetched stays in the cache.
constexpr size_t kTogether = 64;

// Calls `process` with the values, a few in turn.
template <class Process>
void in_parts(std::span<RemoteValue> values, const Process& process) {
  for (; !values.empty(); values = values.subspan(std::min(kTogether, values.size())))
    process(values.first(std::min(kTogether, values.size())));
}

}  // namespace

void RemoteTable::find_labels(std::span<RemoteValue> values) const {
  MutexLock lock(mutex_);
  in_parts(values, [&](std::span<RemoteValue> part) {
    mutex_.held();
    for (const RemoteValue& value : part) values_.prefetch_labels(value.labels_hash);
    for (const RemoteValue& value : part) values_.prefetch_labels_entry(value.labels_hash);
    for (RemoteValue& value : part) {
      if (value.name.empty()) value.place = values_.find_labels(value.labels_hash);
    }
  });
}

RemoteTable::Added RemoteTable::add(std::span<RemoteValue> values, Batch& batch, Timestamp now,
                                    const NameOf& name_of) {
  MutexLock lock(mutex_);
  changes_.clear();
  silent_changes_.clear();
  batch.wants_refused_samples = true;
  batch.other_kind = OtherKind::kRefuse;
  batch.joins_sums = true;
  name_of_ = &name_of;
  batch.late_name = [&](size_t sample) {
    mutex_.held();
    return this->name_of(*changes_[sample].value);
  };
  const int64_t now_s = unix_seconds(now);
  const Times times{now_s, (now + table_.limits().future_max).time_since_epoch().count(),
                    now_s - table_.retention().longest_s()};
  changes_.reserve(values.size());
  batch.samples.reserve(values.size());
  batch.handles.reserve(values.size());
  Added added;
  in_parts(values, [&](std::span<RemoteValue> part) {
    mutex_.held();
    hashes_.clear();
    for (RemoteValue& value : part) hashes_.push_back(locate(value));
    for (size_t i = 0; i < part.size(); ++i) {
      if (part[i].place == LastValueTable::kNone) values_.prefetch_entry(hashes_[i]);
    }
    for (size_t i = 0; i < part.size(); ++i) added.accepted += step(part[i], hashes_[i], batch, times);
  });
  added.accepted += table_.apply_marked(batch, now, now, [&](int parity) {
    mutex_.held();
    undo_refused(batch);
    note_changes(parity, batch, now);
    added.ticket = epochs_[static_cast<size_t>(parity)];
  });
  batch.late_name = nullptr;
  name_of_ = nullptr;
  return added;
}

std::string_view RemoteTable::name_of(const RemoteValue& value) const {
  return value.name.empty() && *name_of_ ? (*name_of_)(value) : value.name;
}

// Returns the hash of the series for its sender, and prefetches what find() reads. A series may have been
// forgotten since find_labels().
Hash128 RemoteTable::locate(RemoteValue& value) {
  if (is_known(value)) return values_.name(value.place);
  value.place = LastValueTable::kNone;
  value.name = name_of(value);
  const Hash128 hash = hash_name(value.name, value.sender);
  values_.prefetch(hash);
  return hash;
}

// Called in the epoch of the samples, when it is known which of them the table has.
void RemoteTable::note_changes(int parity, const Batch& batch, Timestamp now) {
  for (size_t i = 0; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    if (change.place == LastValueTable::kNone) continue;
    journal_.note(parity, values_, change.place, now);
    const Hash128& labels = change.value->labels_hash;
    if (labels != LastValueTable::kNoLabels) values_.set_labels(change.place, labels, batch.handles[i]);
  }
  for (const LastValueTable::Place place : silent_changes_) journal_.note(parity, values_, place, now);
}

void RemoteTable::end_series(std::span<const Hash128> names, int64_t time_ms) {
  constexpr size_t kPiece = 2000;  // so that the lock is not held for long
  for (; !names.empty(); names = names.subspan(std::min(kPiece, names.size()))) {
    MutexLock lock(mutex_);
    for (const Hash128& name : names.first(std::min(kPiece, names.size()))) end(name, name, time_ms);
  }
}

// What the table has refused adds nothing, so its series is where it was before; unless a later sample of it
// was accepted, which counts from there.
void RemoteTable::undo_refused(Batch& batch) {
  if (batch.refused_samples.empty()) return;
  std::sort(batch.refused_samples.begin(), batch.refused_samples.end());
  std::set<LastValueTable::Place> accepted(silent_changes_.begin(), silent_changes_.end());
  for (size_t i = changes_.size(); i-- > 0;) {
    Change& change = changes_[i];
    if (!std::binary_search(batch.refused_samples.begin(), batch.refused_samples.end(), i)) {
      accepted.insert(change.place);
      continue;
    }
    if (!accepted.contains(change.place)) {
      if (change.is_new) {
        values_.erase(change.place);
      } else {
        values_.set(change.place, change.before);
      }
    }
    change.place = LastValueTable::kNone;
  }
}

bool RemoteTable::has_room() const {
  if (!table_.has_room()) return false;
  MutexLock lock(mutex_);
  return journal_.unsaved_bytes() < kUnsavedBytesMax;
}

void RemoteTable::when_durable(Ticket ticket, Ready ready) {
  {
    MutexLock lock(mutex_);
    if (ticket > durable_) {
      waiting_.emplace_back(ticket, std::move(ready));
      return;
    }
  }
  ready();
}

size_t RemoteTable::series() const {
  MutexLock lock(mutex_);
  return values_.size();
}

size_t RemoteTable::memory_bytes() const {
  MutexLock lock(mutex_);
  return values_.memory_bytes() + journal_.unsaved_bytes();
}

void RemoteTable::add_to(int parity, StoreBatch& batch, Timestamp now) {
  MutexLock lock(mutex_);
  forget_some(now);
  journal_.add_to(parity, values_, batch);
  Ticket& epoch = epochs_[static_cast<size_t>(parity)];
  in_batch_ = epoch;
  epoch += epochs_.size();
}

void RemoteTable::committed(const StoreBatch&) {
  std::vector<Ready> ready;
  {
    MutexLock lock(mutex_);
    durable_ = in_batch_;
    const auto still_waits = [this](const std::pair<Ticket, Ready>& one) {
      mutex_.held();
      return one.first > durable_;
    };
    const auto done = std::stable_partition(waiting_.begin(), waiting_.end(), still_waits);
    for (auto one = done; one != waiting_.end(); ++one) ready.push_back(std::move(one->second));
    waiting_.erase(done, waiting_.end());
  }
  for (const Ready& one : ready) one();
}

void RemoteTable::forget_some(Timestamp now) {
  const int64_t before_s = unix_seconds(now - options_.forget);
  for (size_t i = values_.places() / kForgetTicks + 1; i > 0 && values_.places() > 0; --i) {
    if (next_forgotten_ >= values_.places()) next_forgotten_ = 0;
    if (values_.is_used(next_forgotten_) && values_.seen_s(next_forgotten_) < before_s) {
      values_.erase(next_forgotten_);
      forgotten_.add();
    }
    ++next_forgotten_;
  }
}

}  // namespace statmill
