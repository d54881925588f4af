// Tiers: the steps at which buckets are kept, and for how long; how time is cut into slots and chunks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

struct Tier {
  int64_t step_s = 0;
  int64_t retention_s = 0;
  int64_t chunk_slots = 0;  // slots per chunk; chunk span = chunk_slots * step_s

  int64_t chunk_span_s() const { return step_s * chunk_slots; }
  Slot slot_of(int64_t time_s) const { return time_s / step_s; }  // Requires: time_s >= 0
  ChunkNo chunk_of_slot(Slot slot) const { return static_cast<ChunkNo>(slot / chunk_slots); }
  ChunkNo chunk_of_time(int64_t time_s) const { return chunk_of_slot(slot_of(time_s)); }
};

// 1 to kCountMax tiers, finest first; each step is a multiple of the step before. A slot of any tier lies in
// one chunk of the finest tier, so that each chunk rolls up by itself. Immutable.
//
// If the finest step is longer than a second there is one more: the detail tier, of seconds. It holds some
// series for some hours, those whose rule asks for it, and only what the finest tier holds, too. So nothing
// is rolled up from it, and it takes no part in count(), finest(), and loops over tiers.
class Tiers {
 public:
  static constexpr size_t kCountMax = 8;
  static constexpr size_t kStoredMax = kCountMax + 1;  // with the detail tier
  static constexpr int64_t kDetailStep_s = 1;

  // Parses "10s:10d,5m:1y,1h:6y". Errors: kInvalid, naming the part and the reason (steps not ascending
  // multiples, step not in 1 s..1 d, retention shorter than 2 steps or than the finer tier's, retention over
  // 100 y, too many tiers).
  static Result<Tiers> parse(std::string_view text);

  // Returns these tiers with the retentions that `text` names by step: "1s:6h,10s:1d,1h:1y". Errors: kInvalid
  // as in parse(), or for a step that no tier has or that is given twice.
  Result<Tiers> with_retention(std::string_view text) const;

  // Returns these tiers with nothing kept in the detail tier.
  Tiers without_detail() const;

  // For each tier, the detail tier included, the longer (shorter) retention of the two. Requires: the same
  // steps.
  Tiers longer(const Tiers& other) const;
  Tiers shorter(const Tiers& other) const;

  size_t count() const { return tiers_.size(); }
  // Also of the detail tier. Requires: i < stored_count().
  const Tier& operator[](size_t i) const { return i == tiers_.size() ? detail_ : tiers_[i]; }
  // The tiers that a store has: count(), and the detail tier if there is one, which is then the last.
  size_t stored_count() const { return count() + (has_detail() ? 1 : 0); }
  bool has_detail() const { return detail_.step_s > 0; }
  // Returns whether these tiers keep anything in the detail tier.
  bool keep_detail() const { return detail_.retention_s > 0; }
  // The number of the detail tier, if there is one.
  TierNo detail_no() const { return static_cast<TierNo>(count()); }
  bool is_detail(TierNo tier) const { return has_detail() && tier == detail_no(); }
  const Tier& detail() const { return detail_; }
  // Slots of the detail tier in a slot of the finest one; 1 if there is no detail tier.
  int64_t detail_ratio() const { return has_detail() ? finest().step_s / detail_.step_s : 1; }
  const Tier& finest() const { return tiers_.front(); }
  const Tier& coarsest() const { return tiers_.back(); }
  auto begin() const { return tiers_.begin(); }
  auto end() const { return tiers_.end(); }
  // Canonical, with the detail tier first if it keeps anything. Without it, parse(text()) returns the same
  // tiers.
  std::string text() const;

 private:
  std::vector<Tier> tiers_;
  Tier detail_;  // step 0: there is none; retention 0: it keeps nothing
};

}  // namespace statmill
