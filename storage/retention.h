// Retention: how long each series is kept: the tiers' own retention, and rules for names that match a glob.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

// A set of classes.
using RetentionClasses = std::bitset<256>;

// Immutable once its rules are added; then thread-safe.
class Retention {
 public:
  static constexpr size_t kRulesMax = kGone - 1;

  // Without rules every series has the tiers' retention.
  Retention(Tiers tiers = {});  // NOLINT: implicit on purpose

  // Adds a rule such as "host.debug.* 10s:1d,5m:7d": a glob, and the retention of the named tiers for names
  // that match it; other tiers keep the retention they have without the rule. Errors: kInvalid, naming the
  // rule and the reason; kLimit (more than kRulesMax).
  Status add_rule(std::string_view text);

  // Returns ok if `next` has the same steps, and the same globs in the same order: then each series has the
  // same class in both, and only the times differ. Errors: kInvalid, naming the first difference.
  Status differs_in_times_only(const Retention& next) const;

  // Returns the class of the first rule that matches, or kDefaultRetention. Cost: a match per rule.
  RetentionClass class_of(std::string_view name) const;
  size_t class_count() const { return classes_.size(); }
  // Returns the rule of a class, as add_rule() was given it. Requires: 0 < retention < class_count().
  const std::string& rule(RetentionClass retention) const { return texts_[retention - 1U]; }
  // Returns the glob of that rule.
  std::string_view glob(RetentionClass retention) const;

  // The tiers with the retention of a class; steps and chunks are the same for all.
  // Requires: retention < class_count().
  const Tiers& tiers(RetentionClass retention = kDefaultRetention) const { return classes_[retention]; }
  // For each tier, the longest retention of any class.
  Tiers longest() const;
  // For how long the coarsest tier of any class keeps data, at most and at least. Requires: there are tiers.
  int64_t longest_s() const { return longest_s_; }
  int64_t shortest_s() const { return shortest_s_; }
  // For each tier, the shortest retention of these classes; the default if there are none.
  Tiers shortest(const RetentionClasses& classes) const;

 private:
  std::vector<Glob> rules_;         // of class i + 1
  std::vector<std::string> texts_;  // theirs
  std::vector<Tiers> classes_;      // by class
  int64_t longest_s_ = 0;
  int64_t shortest_s_ = 0;
};

}  // namespace statmill
