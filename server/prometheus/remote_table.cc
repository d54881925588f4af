#include "server/prometheus/remote_table.h"

#include <algorithm>
#include <set>

#include "proto/family.h"

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

RemoteTable::Added RemoteTable::add(std::span<const RemoteValue> values, Batch& batch, Timestamp now) {
  MutexLock lock(mutex_);
  changes_.clear();
  silent_changes_.clear();
  batch.wants_refused_samples = true;
  batch.other_kind = OtherKind::kRefuse;
  batch.joins_sums = true;
  Added added;
  // So few that what is prefetched stays in the cache.
  constexpr size_t kTogether = 64;
  for (; !values.empty(); values = values.subspan(std::min(kTogether, values.size()))) {
    const auto part = values.first(std::min(kTogether, values.size()));
    hashes_.clear();
    for (const RemoteValue& value : part) {
      hashes_.push_back(hash_name(value.name, value.sender));
      values_.prefetch(hashes_.back());
    }
    for (const Hash128& hash : hashes_) values_.prefetch_entry(hash);
    for (size_t i = 0; i < part.size(); ++i) added.accepted += step(part[i], hashes_[i], batch, now);
  }
  added.accepted += table_.apply_marked(batch, now, now, [&](int parity) {
    mutex_.held();
    undo_refused(batch);
    for (const Change& change : changes_) {
      if (change.place != LastValueTable::kNone) journal_.note(parity, values_, change.place, now);
    }
    for (const LastValueTable::Place place : silent_changes_) journal_.note(parity, values_, place, now);
    added.ticket = epochs_[static_cast<size_t>(parity)];
  });
  return added;
}

// Returns 1 if the sample is accepted although it adds nothing; else it is in the batch, or refused.
uint64_t RemoteTable::step(const RemoteValue& value, const Hash128& hash, Batch& batch, Timestamp now) {
  const auto refuse = [&](Refusal reason) {
    batch.refuse(reason, value.name);
    return uint64_t{0};
  };
  if (value.sent == SentAs::kEnd) {
    ++batch.received;
    end(hash, value.sender == 0 ? hash : SeriesEnds::key(value.name), value.value.time_ms);
    return 1;
  }
  // The table checks times, too, but a series whose last sample is from a wrong future accepts no others.
  if (value.value.time_ms > (now + table_.limits().future_max).time_since_epoch().count())
    return refuse(Refusal::kTooNew);
  if (value.value.time_ms / 1000 < unix_seconds(now) - table_.retention().longest_s())
    return refuse(Refusal::kTooOld);
  Change change{values_.find(hash), false, {}};
  change.is_new = change.place == LastValueTable::kNone;
  if (change.is_new && value.sender != 0 && values_.size() >= options_.series_max)
    return refuse(Refusal::kStateLimit);
  LastValue last = change.is_new ? LastValue{} : values_.at(change.place);
  change.before = last;
  last.name = hash;
  last.seen_s = unix_seconds(now);
  return value.histogram != nullptr ? step_histogram(value, change, last, batch)
                                    : step_number(value, change, last, batch);
}

uint64_t RemoteTable::step_number(const RemoteValue& value, Change& change, LastValue& last, Batch& batch) {
  const auto refuse = [&](Refusal reason) {
    batch.refuse(reason, value.name);
    return uint64_t{0};
  };
  const bool is_amount = value.sent == SentAs::kAmount;
  // A sender of amounts may become one of cumulative counters, and the other way round.
  const bool was_amount = value.sent == SentAs::kCounter && !change.is_new && !last.is_counter;
  const bool is_counter =
      !is_amount && (change.is_new || was_amount ? is_counter_at_first(value) : last.is_counter);
  if (is_counter && value.value.value.mantissa != 0 && value.value.value.value() < 0)
    return refuse(Refusal::kOutOfRange);
  const Step step = is_amount                  ? amount_step(value.value, change.is_new, last)
                    : was_amount && is_counter ? counter_step_after_amounts(value.value, last)
                    : change.is_new            ? first_step(value.value, is_counter, last, late_window_)
                                               : next_step(value.value, last, late_window_);
  if (step.kind == StepKind::kOutOfOrder) return refuse(Refusal::kOutOfOrder);
  if (step.is_reset) resets_.add();
  ++batch.received;
  if (!has_room_for(last, change, options_.histogram_bytes / 2)) last.histogram = nullptr;
  change.place = keep(change, last);
  const bool is_late = step.kind == StepKind::kLate;
  if (step.kind != StepKind::kAdd && !is_late) return count_once(step.kind);
  if (is_late) {
    late_.add();
  } else {
    clear_end(change.place, value.name);
  }
  changes_.push_back(std::move(change));
  Sample& sample = batch.samples.emplace_back();
  sample.name = value.name;
  sample.kind = is_amount ? Kind::kEvent : is_counter ? Kind::kCounter : Kind::kGauge;
  sample.is_in_ms = false;
  sample.time_s = value.value.time_ms / 1000;
  sample.value = step.amount;
  return 0;
}

// A sender may repeat the end of a series that goes on meanwhile.
void RemoteTable::end(const Hash128& entry, const Hash128& series, int64_t time_ms) {
  const LastValueTable::Place place = values_.find(entry);
  if (place == LastValueTable::kNone || time_ms <= values_.at(place).time_ms) return;
  values_.set_ended(place, true);
  table_.ends().end(series, time_ms);
}

void RemoteTable::clear_end(LastValueTable::Place place, std::string_view name) {
  if (!values_.is_ended(place)) return;
  values_.set_ended(place, false);
  table_.ends().clear(SeriesEnds::key(name));
}

void RemoteTable::end_series(std::span<const Hash128> names, int64_t time_ms) {
  constexpr size_t kPiece = 2000;  // so that the lock is not held for long
  for (; !names.empty(); names = names.subspan(std::min(kPiece, names.size()))) {
    MutexLock lock(mutex_);
    for (const Hash128& name : names.first(std::min(kPiece, names.size()))) end(name, name, time_ms);
  }
}

uint64_t RemoteTable::step_histogram(const RemoteValue& value, Change& change, LastValue& last,
                                     Batch& batch) {
  const auto refuse = [&](Refusal reason) {
    batch.refuse(reason, value.name);
    return uint64_t{0};
  };
  const HistogramStep step = next_histogram(value, change.is_new, last);
  const ForeignHistogram& added = step.kind == HistogramStepKind::kAll ? *value.histogram : step.difference;
  // The table compares the kinds of samples, but what adds nothing has none.
  if (added.count == 0 && !may_be_distribution(value.name)) return refuse(Refusal::kKindMismatch);
  if (!has_room_for(last, change, options_.histogram_bytes)) return refuse(Refusal::kStateLimit);
  if (step.is_reset) resets_.add();
  if (step.kind == HistogramStepKind::kChanged) histograms_changed_.add();
  ++batch.received;
  change.place = keep(change, last);
  if (step.kind == HistogramStepKind::kRepeated || step.kind == HistogramStepKind::kOlder)
    return count_once(step.kind == HistogramStepKind::kRepeated ? StepKind::kRepeated : StepKind::kOlder);
  clear_end(change.place, value.name);
  if (added.count == 0) {
    silent_changes_.push_back(change.place);
    return 1;
  }
  changes_.push_back(std::move(change));
  const ReadyHistogram ready = ready_histogram(added, batch);
  Sample& sample = batch.samples.emplace_back();
  sample.name = value.name;
  sample.kind = Kind::kDistribution;
  sample.is_in_ms = false;
  sample.time_s = value.value.time_ms / 1000;
  sample.value = ready.sum;
  sample.ready = ready.ready;
  return 0;
}

HistogramStep RemoteTable::next_histogram(const RemoteValue& value, bool is_new, LastValue& last) const {
  if (value.sent == SentAs::kHistogram) return histogram_step(*value.histogram, value.value, is_new, last);
  switch (amount_step(value.value, is_new, last).kind) {
    case StepKind::kAdd:
      return {HistogramStepKind::kAll};
    case StepKind::kRepeated:
      return {HistogramStepKind::kRepeated};
    default:
      return {HistogramStepKind::kOlder};
  }
}

bool RemoteTable::has_room_for(const LastValue& last, const Change& change, size_t bytes_max) const {
  const size_t before = change.before.histogram_bytes();
  return last.histogram_bytes() <= before ||
         values_.histogram_bytes() + last.histogram_bytes() - before <= bytes_max;
}

LastValueTable::Place RemoteTable::keep(const Change& change, const LastValue& last) {
  if (change.is_new) return values_.insert(last);
  values_.set(change.place, last);
  return change.place;
}

// What is accepted although it adds nothing.
uint64_t RemoteTable::count_once(StepKind kind) const {
  (kind == StepKind::kRepeated ? repeated_ : kind == StepKind::kLateRepeated ? late_repeated_ : older_).add();
  return 1;
}

bool RemoteTable::may_be_distribution(std::string_view name) const {
  const auto known = table_.summary(name);
  return !known || known->kind == Kind::kDistribution;
}

// A series that the table knows stays what it is, since its kind is set for good.
bool RemoteTable::is_counter_at_first(const RemoteValue& value) const {
  const auto known = table_.summary(value.name);
  if (value.sent == SentAs::kCounter) return !known || adds_up(known->kind);
  if (value.sent == SentAs::kGauge) return known && known->kind == Kind::kCounter;
  return known ? known->kind == Kind::kCounter : types_.is_counter(path_of(value.name), value.clues);
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
