// Which tier still has data of a time.
#pragma once

#include "storage/tiers.h"

namespace statmill {

// Returns whether the tier still keeps what was stored at `from_s`.
inline bool covers(const Tier& tier, int64_t from_s, int64_t now_s) {
  return from_s >= now_s - tier.retention_s;
}

// Returns the finest tier that covers `from_s`, or the coarsest tier if none does.
inline TierNo finest_covering(const Tiers& tiers, int64_t from_s, int64_t now_s) {
  for (size_t t = 0; t < tiers.count(); ++t) {
    if (covers(tiers[t], from_s, now_s)) return static_cast<TierNo>(t);
  }
  return static_cast<TierNo>(tiers.count() - 1);
}

}  // namespace statmill
