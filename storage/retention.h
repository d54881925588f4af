// Retention: how long which series are kept: the tiers' own retention, and rules for names that match a glob.
#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

// The classes that some series are of.
using RetentionClasses = std::bitset<256>;

// Immutable once its rules are added; then thread-safe.
class Retention {
 public:
  static constexpr size_t kRulesMax = kGone - 1;

  // Without rules every series is kept as the tiers say.
  Retention(Tiers tiers = {}) : classes_{std::move(tiers)} {}  // NOLINT: tiers are a retention

  // "host.debug.* 10s:1d,5m:7d": the glob, and how long the tiers of these steps are kept for the names that
  // it matches; the other tiers are kept as without the rule. Errors: kInvalid, saying which rule and why;
  // kLimit (more than kRulesMax).
  Status add_rule(std::string_view text);

  // The first rule that matches. Cost: a match per rule.
  RetentionClass class_of(std::string_view name) const;
  size_t class_count() const { return classes_.size(); }

  // The tiers as a class is kept; the same steps and chunks for all. Requires: below class_count().
  const Tiers& tiers(RetentionClass retention = kDefaultRetention) const { return classes_[retention]; }
  // Each tier as long as any class keeps it.
  Tiers longest() const;
  // Each tier as long as all of these classes keep it; of no classes: the default.
  Tiers shortest(const RetentionClasses& classes) const;

 private:
  std::vector<Glob> rules_;     // of class i + 1
  std::vector<Tiers> classes_;  // by class
};

}  // namespace statmill
