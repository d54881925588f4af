// What each retention so far lets the model expect.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/server/model/model_world.h"

namespace statmill {

void World::change_retention() {
  if (!other_retention_ || !retention_.differs_in_times_only(*other_retention_)) return;
  swap_retention();
  ASSERT_TRUE(ticker_->set_retention(retention_, now()));
}

bool World::keeps_no_longer(const std::string& a, const std::string& b) const {
  for (size_t t = 0; t < tiers_.stored_count(); ++t) {
    if (tiers_of(a)[t].retention_s > tiers_of(b)[t].retention_s) return false;
  }
  return true;
}

void World::swap_retention() {
  changes_.push_back({wall_s_, retention_});
  std::swap(retention_, *other_retention_);
}

// Whatever the detail tier lacks, queries find that themselves.
int64_t World::lost_before_s(const std::string& name, TierNo tier) const {
  if (tiers_.is_detail(tier)) return 0;
  const auto renamed = lost_by_rename_.find(name);
  int64_t out = renamed == lost_by_rename_.end() ? 0 : renamed->second[tier];
  for (const auto& [time_s, before] : changes_)
    out = std::max(out, time_s - before.tiers(before.class_of(name))[tier].retention_s);
  return out;
}

// Also if the other retention comes into use before the sample is flushed.
bool World::may_be_alone(const model::Sample& s) const {
  const int64_t lost_s = lost_before_s(s.name, 0) + tiers_[0].chunk_span_s();
  if (!other_retention_) return s.time_s < lost_s;
  const int64_t finest_s = other_retention_->shortest(RetentionClasses().set()).finest().retention_s;
  return s.time_s < std::max(lost_s, wall_s_ - finest_s * 3 / 4);
}

int64_t World::kept_from_s(const std::string& name, int64_t tier_s) const {
  for (TierNo t = 0; t < tiers_.stored_count(); ++t) {
    if (tiers_[t].step_s == tier_s)
      return std::max(wall_s_ - retention_of(name, tier_s), lost_before_s(name, t));
  }
  ADD_FAILURE() << "no tier of " << tier_s;
  return 0;
}

int64_t World::retention_of(const std::string& name, int64_t tier_s) const {
  const Tiers& tiers = tiers_of(name);
  for (TierNo t = 0; t < tiers.stored_count(); ++t) {
    if (tiers[t].step_s == tier_s) return tiers[t].retention_s;
  }
  ADD_FAILURE() << "no tier of " << tier_s;
  return 0;
}

}  // namespace statmill
