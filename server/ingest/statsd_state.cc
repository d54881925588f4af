// See statsd_state.h.
#include "server/ingest/statsd_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace statmill {
namespace {

// Exact where both are decimals and the sum is one; none when no double can hold it.
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
  return sum == 0 ? Number{} : Number::of(sum);
}

int64_t set_slot_of(Timestamp now) { return unix_seconds(now) / StatsdState::kSetSlotS; }

}  // namespace

StatsdState::Outcome StatsdState::resolve(StatsdBatch& batch, Timestamp now) {
  Outcome outcome;
  if (batch.gauges.empty() && batch.members.empty()) return outcome;
  std::vector<Sample>& samples = batch.batch.samples;
  std::vector<uint32_t> refused;  // indices, ascending
  MutexLock lock(mutex_);
  for (const StatsdBatch::Gauge& gauge : batch.gauges) {
    const auto refusal = take_gauge(samples[gauge.sample], gauge.is_step, now, outcome);
    if (!refusal) continue;
    batch.batch.refuse_sample(gauge.sample, *refusal);
    refused.push_back(gauge.sample);
  }
  batch.batch.remove_samples(refused);
  const int64_t now_slot = set_slot_of(now);
  // Another thread may have ended the slot since `now` was read.
  const int64_t slot = now_slot == last_ended_ ? now_slot + 1 : now_slot;
  for (const StatsdBatch::SetMember& member : batch.members) {
    if (take_member(member, slot)) {
      ++outcome.members;
    } else {
      batch.batch.refuse(Refusal::kStateLimit, member.name, member.sender);
    }
  }
  batch.gauges.clear();
  batch.members.clear();
  return outcome;
}

std::optional<Refusal> StatsdState::take_gauge(Sample& sample, bool is_step, Timestamp now,
                                               Outcome& outcome) {
  auto known = gauges_.find(sample.name);
  if (known == gauges_.end()) {
    if (gauges_.size() >= limits_.gauges_max) {
      if (is_step) return Refusal::kStateLimit;
      ++outcome.gauges_not_remembered;
      return std::nullopt;
    }
    known = gauges_.try_emplace(std::string(sample.name), KnownGauge{{}, now}).first;
  }
  KnownGauge& gauge = known->second;
  if (has_expired(gauge, now)) {
    gauge.value = Number{};
    ++outcome.gauges_forgotten;
  }
  gauge.time = now;
  if (is_step) {
    const auto sum = sum_of(gauge.value, sample.value);
    if (!sum) return Refusal::kOutOfRange;
    sample.value = *sum;
  }
  gauge.value = sample.value;
  return std::nullopt;
}

uint64_t StatsdState::forget_gauges(Timestamp now) {
  MutexLock lock(mutex_);
  std::vector<std::string> expired;
  const size_t buckets = gauges_.bucket_count();
  for (size_t part = buckets / kSweepParts + 1; part > 0; --part) {
    sweep_ = sweep_ + 1 < buckets ? sweep_ + 1 : 0;  // a table that has grown is looked at anew
    for (auto gauge = gauges_.begin(sweep_); gauge != gauges_.end(sweep_); ++gauge) {
      if (has_expired(gauge->second, now)) expired.push_back(gauge->first);
    }
  }
  for (const std::string& name : expired) gauges_.erase(name);
  return expired.size();
}

bool StatsdState::take_member(const StatsdBatch::SetMember& member, int64_t slot) {
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

size_t StatsdState::gauge_count() const {
  MutexLock lock(mutex_);
  return gauges_.size();
}

size_t StatsdState::set_count() const {
  MutexLock lock(mutex_);
  return set_count_;
}

}  // namespace statmill
