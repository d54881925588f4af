#include "server/table/exemplar_table.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace statmill {

Verdict<ExemplarRefusal> ExemplarTable::note(int parity, const ExemplarKey& key, const Exemplar& exemplar) {
  const uint64_t labels = hash_name(exemplar.labels);
  ExemplarRow row{key, exemplar.value, exemplar.time_ms, std::string(exemplar.labels)};
  MutexLock lock(mutex_);
  if (known_.empty()) known_.resize(kKnown);
  Known& known = known_[key.id % kKnown];
  if (is_known(known, key, exemplar, labels)) {
    accepted_.fetch_add(1, std::memory_order_relaxed);
    return kAccepted;
  }
  auto& waiting = waiting_[static_cast<size_t>(parity)];
  const auto found = waiting.find(key);
  if (found == waiting.end()) {
    if (budget_ < 1) return ExemplarRefusal::kLimit;
    budget_ -= 1;
    waiting.emplace(key, std::move(row));
  } else if (is_larger(row, found->second)) {
    found->second = std::move(row);
  }
  const ExemplarRow& largest = waiting.find(key)->second;
  known = {hash_name(largest.labels), largest.value, largest.time_ms, key.slot, key.id};
  accepted_.fetch_add(1, std::memory_order_relaxed);
  return kAccepted;
}

// Returns true if the exemplar is not larger than one that is stored, or will be with this tick. One without
// a time of its own is the same as long as its value and labels are.
bool ExemplarTable::is_known(const Known& known, const ExemplarKey& key, const Exemplar& exemplar,
                             uint64_t labels) {
  if (known.slot < 0 || known.id != key.id) return false;
  const bool is_same = known.value == exemplar.value && known.labels == labels;
  if (!exemplar.has_own_time && is_same) return true;
  return known.slot == key.slot &&
         (exemplar.value < known.value || (is_same && exemplar.time_ms <= known.time_ms));
}

void ExemplarTable::count_refused(ExemplarRefusal reason, uint64_t count) {
  refused_[static_cast<size_t>(reason)].fetch_add(count, std::memory_order_relaxed);
}

std::vector<ExemplarRow> ExemplarTable::take(int parity, SteadyTime now) {
  std::vector<ExemplarRow> out;
  MutexLock lock(mutex_);
  refill(now);
  auto& waiting = waiting_[static_cast<size_t>(parity)];
  out.reserve(waiting.size());
  for (auto& [key, row] : waiting) out.push_back(std::move(row));
  waiting.clear();
  stored_.fetch_add(out.size(), std::memory_order_relaxed);
  return out;
}

void ExemplarTable::refill(SteadyTime now) {
  const double seconds = refilled_ ? std::chrono::duration<double>(now - *refilled_).count() : 0;
  budget_ = std::min(budget_ + seconds * static_cast<double>(limits_.per_second),
                     static_cast<double>(limits_.burst()));
  refilled_ = now;
}

void ExemplarTable::forget(std::span<const SeriesId> deleted) {
  MutexLock lock(mutex_);
  if (known_.empty()) return;
  for (const SeriesId id : deleted) {
    Known& known = known_[id % kKnown];
    if (known.id == id) known = {};
  }
}

}  // namespace statmill
