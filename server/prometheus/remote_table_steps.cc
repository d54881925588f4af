// RemoteTable: what one value adds, and what its series has last then.
#include <utility>

#include "proto/family.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// Reads the name only if it is shown.
uint64_t RemoteTable::refuse(Batch& batch, Refusal reason, const RemoteValue& value) const {
  batch.refuse(reason, batch.shows_refused() ? name_of(value) : std::string_view());
  return 0;
}

// Returns 1 if the sample is accepted although it adds nothing; else it is in the batch, or refused.
uint64_t RemoteTable::step(const RemoteValue& value, const Hash128& hash, Batch& batch, const Times& times) {
  if (value.sent == SentAs::kEnd) {
    ++batch.received;
    end(hash, value.sender == 0 ? hash : SeriesEnds::key(value.name), value.value.time_ms);
    return 1;
  }
  // The table checks times, too, but a series whose last sample is from a wrong future accepts no others.
  if (value.value.time_ms > times.newest_ms) return refuse(batch, Refusal::kTooNew, value);
  if (value.value.time_ms / 1000 < times.oldest_s) return refuse(batch, Refusal::kTooOld, value);
  const bool is_located = value.place != LastValueTable::kNone;
  Change change{is_located ? value.place : values_.find(hash), false, {}, &value};
  change.is_new = change.place == LastValueTable::kNone;
  if (change.is_new && value.sender != 0 && values_.size() >= options_.series_max)
    return refuse(batch, Refusal::kStateLimit, value);
  LastValue last = change.is_new ? LastValue{} : values_.at(change.place);
  change.before = last;
  last.name = hash;
  last.seen_s = times.now_s;
  return value.histogram != nullptr ? step_histogram(value, change, last, batch)
                                    : step_number(value, change, last, batch);
}

uint64_t RemoteTable::step_number(const RemoteValue& value, Change& change, LastValue& last, Batch& batch) {
  const bool is_amount = value.sent == SentAs::kAmount;
  // A sender of amounts may become one of cumulative counters, and the other way round.
  const bool was_amount = value.sent == SentAs::kCounter && !change.is_new && !last.is_counter;
  const bool is_counter =
      !is_amount && (change.is_new || was_amount ? is_counter_at_first(value) : last.is_counter);
  if (is_counter && value.value.value.mantissa != 0 && value.value.value.value() < 0)
    return refuse(batch, Refusal::kOutOfRange, value);
  const Step step = is_amount                  ? amount_step(value.value, change.is_new, last)
                    : was_amount && is_counter ? counter_step_after_amounts(value.value, last)
                    : change.is_new            ? first_step(value.value, is_counter, last, late_window_)
                                               : next_step(value.value, last, late_window_);
  if (step.kind == StepKind::kOutOfOrder) return refuse(batch, Refusal::kOutOfOrder, value);
  if (step.is_reset) resets_.add();
  ++batch.received;
  if (!has_room_for(last, change, options_.histogram_bytes / 2)) last.histogram = nullptr;
  change.place = keep(change, last);
  const bool is_late = step.kind == StepKind::kLate;
  if (step.kind != StepKind::kAdd && !is_late) return count_once(step.kind);
  if (is_late) {
    late_.add();
  } else {
    clear_end(change.place, value);
  }
  Sample& sample = add_sample(value, std::move(change), batch);
  sample.kind = is_amount ? Kind::kEvent : is_counter ? Kind::kCounter : Kind::kGauge;
  sample.value = step.amount;
  return 0;
}

// Adds a sample of the value, without its kind and its amount.
Sample& RemoteTable::add_sample(const RemoteValue& value, Change change, Batch& batch) {
  batch.handles.push_back(handle_of(value));
  changes_.push_back(std::move(change));
  Sample& sample = batch.samples.emplace_back();
  sample.name = value.name;
  sample.is_in_ms = false;
  sample.time_s = value.value.time_ms / 1000;
  return sample;
}

// A sender may repeat the end of a series that goes on meanwhile.
void RemoteTable::end(const Hash128& entry, const Hash128& series, int64_t time_ms) {
  const LastValueTable::Place place = values_.find(entry);
  if (place == LastValueTable::kNone || time_ms <= values_.at(place).time_ms) return;
  values_.set_ended(place, true);
  table_.ends().end(series, time_ms);
}

void RemoteTable::clear_end(LastValueTable::Place place, const RemoteValue& value) {
  if (!values_.is_ended(place)) return;
  values_.set_ended(place, false);
  table_.ends().clear(value.sender == 0 ? values_.name(place) : SeriesEnds::key(value.name));
}

uint64_t RemoteTable::step_histogram(const RemoteValue& value, Change& change, LastValue& last,
                                     Batch& batch) {
  const HistogramStep step = next_histogram(value, change.is_new, last);
  const ForeignHistogram& added = step.kind == HistogramStepKind::kAll ? *value.histogram : step.difference;
  // The table compares the kinds of samples, but what adds nothing has none.
  if (added.count == 0 && !may_be_distribution(value.name))
    return refuse(batch, Refusal::kKindMismatch, value);
  if (!has_room_for(last, change, options_.histogram_bytes))
    return refuse(batch, Refusal::kStateLimit, value);
  if (step.is_reset) resets_.add();
  if (step.kind == HistogramStepKind::kChanged) histograms_changed_.add();
  ++batch.received;
  change.place = keep(change, last);
  if (step.kind == HistogramStepKind::kRepeated || step.kind == HistogramStepKind::kOlder)
    return count_once(step.kind == HistogramStepKind::kRepeated ? StepKind::kRepeated : StepKind::kOlder);
  clear_end(change.place, value);
  if (added.count == 0) {
    silent_changes_.push_back(change.place);
    return 1;
  }
  const ReadyHistogram ready = ready_histogram(added, batch);
  Sample& sample = add_sample(value, std::move(change), batch);
  sample.kind = Kind::kDistribution;
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

// Counts a sample that is accepted although it adds nothing.
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

}  // namespace statmill
