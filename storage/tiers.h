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
class Tiers {
 public:
  static constexpr size_t kCountMax = 8;

  // Parses "10s:10d,5m:1y,1h:6y". Errors: kInvalid, naming the part and the reason (steps not ascending
  // multiples, step not in 1 s..1 d, retention shorter than 2 steps or than the finer tier's, retention over
  // 100 y, too many tiers).
  static Result<Tiers> parse(std::string_view text);

  // Returns these tiers with the retentions that `text` names by step: "10s:1d,1h:1y". Errors: kInvalid as in
  // parse(), or for a step that no tier has or that is given twice.
  Result<Tiers> with_retention(std::string_view text) const;

  // For each tier, the longer (shorter) retention of the two. Requires: the same steps.
  Tiers longer(const Tiers& other) const;
  Tiers shorter(const Tiers& other) const;

  size_t count() const { return tiers_.size(); }
  const Tier& operator[](size_t i) const { return tiers_[i]; }
  const Tier& finest() const { return tiers_.front(); }
  const Tier& coarsest() const { return tiers_.back(); }
  auto begin() const { return tiers_.begin(); }
  auto end() const { return tiers_.end(); }
  std::string text() const;  // canonical; parse(text()) returns the same tiers

 private:
  std::vector<Tier> tiers_;
};

}  // namespace statmill
