#include "ingest/statsd/state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace statmill {
namespace {

// Returns the sum, which is exact if it and both operands are decimals; nullopt if no double can hold it.
std::optional<Number> sum_of(const Number& a, const Number& b) {
  if (a.is_decimal() && b.is_decimal()) {
    const int8_t scale = std::max(a.scale, b.scale);
    int64_t x = a.mantissa;
    int64_t y = b.mantissa;
    bool fits = true;
    for (int8_t i = a.scale; fits && i < scale; ++i) fits = !__builtin_mul_overflow(x, 10, &x);
    for (int8_t i = b.scale; fits && i < scale; ++i) fits = !__builtin_mul_overflow(y, 10, &y);
    if (fits && !__builtin_add_overflow(x, y, &x) && -Number::kMantissaMax <= x && x <= Number::kMantissaMax)
      return Number::decimal(x, scale);
  }
  const double sum = a.value() + b.value();
  if (!std::isfinite(sum)) return std::nullopt;
  return Number::shortest(sum);
}

int64_t set_slot_of(Timestamp now) { return unix_seconds(now) / StatsdState::kSetSlotS; }

}  // namespace

StatsdState::Outcome StatsdState::resolve(StatsdBatch& batch, Timestamp now) {
  Outcome outcome;
  if (batch.gauges.empty() && batch.members.empty()) return outcome;
  std::vector<Hash128> names;  // of the gauges; hashed before locking to hold the lock for less time
  names.reserve(batch.gauges.size());
  for (const StatsdBatch::Gauge& gauge : batch.gauges) {
    names.push_back(hash_name(batch.batch.samples[gauge.sample].name, seed_));
  }
  MutexLock lock(mutex_);
  resolve_gauges(batch, names, now, outcome);
  const int64_t now_slot = set_slot_of(now);
  // Another thread may have ended the slot since `now` was read.
  const int64_t slot = now_slot == last_ended_ ? now_slot + 1 : now_slot;
  for (const StatsdBatch::SetMember& member : batch.members) {
    if (add_member(member, slot)) {
      ++outcome.members;
    } else {
      batch.batch.refuse(Refusal::kStateLimit, member.name, member.sender);
    }
  }
  batch.gauges.clear();
  batch.members.clear();
  return outcome;
}

// Prefetches ahead, so that the cache misses of several gauges overlap.
void StatsdState::resolve_gauges(StatsdBatch& batch, const std::vector<Hash128>& names, Timestamp now,
                                 Outcome& outcome) {
  if (names.empty()) return;
  constexpr size_t kAhead = 16;
  const Timestamp since = known_since(now);
  Sample* const samples = batch.batch.samples.data();
  std::vector<uint32_t> refused;  // indices, ascending
  for (const Hash128& name : std::span(names).first(std::min(kAhead, names.size()))) gauges_.prefetch(name);
  const Hash128* name = names.data();
  const Hash128* const last = name + names.size() - 1;
  for (const StatsdBatch::Gauge& gauge : batch.gauges) {
    gauges_.prefetch(*std::min(name + kAhead, last));
    Sample& sample = samples[gauge.sample];
    LastValues::Entry* const known = gauges_.find(*name);
    if (known != nullptr && known->time() >= since && !gauge.is_step) {
      known->set(sample.value, now);
    } else if (const auto verdict = resolve_gauge({sample, *name, known, gauge.is_step}, now, outcome);
               verdict.is_refused()) {
      batch.batch.refuse_sample(gauge.sample, verdict.reason());
      refused.push_back(gauge.sample);
    }
    ++name;
  }
  batch.batch.remove_samples(refused);
}

// Handles unknown and expired gauges, and steps.
Verdict<Refusal> StatsdState::resolve_gauge(const GaugeSample& gauge, Timestamp now, Outcome& outcome) {
  Number& value = gauge.sample.value;
  if (gauge.known == nullptr) {
    if (gauges_.size() >= limits_.gauges_max) {
      if (gauge.is_step) return Refusal::kStateLimit;
      ++outcome.gauges_not_remembered;
      return kAccepted;
    }
    gauges_.insert(gauge.name, value, now);  // added to 0, a step is the value
    return kAccepted;
  }
  Number last = gauge.known->value();
  if (gauge.known->time() < known_since(now)) {
    last = Number{};
    ++outcome.gauges_forgotten;
  }
  std::optional<Number> next = value;
  if (gauge.is_step) next = sum_of(last, value);
  gauge.known->set(next.value_or(last), now);
  if (!next) return Refusal::kOutOfRange;
  value = *next;
  return kAccepted;
}

uint64_t StatsdState::forget_gauges(Timestamp now) {
  MutexLock lock(mutex_);
  return gauges_.forget_before(known_since(now));
}

bool StatsdState::add_member(const StatsdBatch::SetMember& member, int64_t slot) {
  auto& sets = sets_[slot];
  auto set = sets.find(member.name);
  if (set == sets.end()) {
    if (set_count_ >= limits_.sets_max) return false;
    set = sets.try_emplace(std::string(member.name)).first;
    ++set_count_;
  }
  set->second.add(hash_name(member.member));
  return true;
}

void StatsdState::end_slots(Timestamp now, Batch& batch) { end_before(set_slot_of(now), batch); }

void StatsdState::end_all_slots(Batch& batch) { end_before(std::numeric_limits<int64_t>::max(), batch); }

void StatsdState::end_before(int64_t slot, Batch& batch) {
  Sets ended;
  {
    MutexLock lock(mutex_);
    last_ended_ = slot - 1;
    while (!sets_.empty() && sets_.begin()->first < slot) {
      set_count_ -= sets_.begin()->second.size();
      ended.insert(sets_.extract(sets_.begin()));
    }
  }
  for (const auto& [ended_slot, sets] : ended) {
    for (const auto& [name, members] : sets) {
      Sample& sample = batch.samples.emplace_back();
      sample.name = batch.keep(name);
      sample.time_s = ended_slot * kSetSlotS;
      sample.value = Number::decimal(static_cast<int64_t>(members.count()), 0);
      ++batch.received;
    }
  }
}

bool StatsdState::admit_event(Timestamp now) {
  MutexLock lock(mutex_);
  const int64_t second = unix_seconds(now);
  if (std::exchange(events_second_, second) != second) events_ = 0;
  if (events_ >= limits_.events_per_second_max) return false;
  ++events_;
  return true;
}

bool StatsdState::note_check(std::string_view name, int64_t status) {
  MutexLock lock(mutex_);
  const auto known = checks_.find(name);
  if (known != checks_.end()) return std::exchange(known->second, status) != status;
  if (status == 0 || checks_.size() >= limits_.checks_max) return false;
  checks_.try_emplace(std::string(name), status);
  return true;
}

size_t StatsdState::gauge_count() const {
  MutexLock lock(mutex_);
  return gauges_.size();
}

size_t StatsdState::set_count() const {
  MutexLock lock(mutex_);
  return set_count_;
}

}  // namespace statmill
