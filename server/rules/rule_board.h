// RuleBoard: how the rules and their alerts were after their newest evaluation, for the API.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/rules/active_alerts.h"
#include "server/rules/rule.h"

namespace statmill::rules {

// The newest evaluation of a rule.
struct RuleOutcome {
  std::string fault;         // empty: none
  Timestamp evaluated_at{};  // the time that it is about; 0: there was none
  std::chrono::nanoseconds took{0};
};

struct RuleState : RuleOutcome {
  ActiveAlerts::Alerts alerts;  // of an alerting rule
};

// A group with a state for each of its rules. Immutable.
struct GroupState {
  std::shared_ptr<const RuleGroup> group;
  std::vector<RuleState> rules;
  Timestamp evaluated_at{};
  std::chrono::nanoseconds took{0};
};

// Thread-safe.
class RuleBoard {
 public:
  using Groups = std::vector<std::shared_ptr<const GroupState>>;

  // In the order of the files, then of each file.
  Groups groups() const {
    MutexLock lock(mutex_);
    return groups_;
  }
  void set(Groups groups) {
    MutexLock lock(mutex_);
    groups_ = std::move(groups);
  }
  // Requires: there are more groups than `index`.
  void update(size_t index, std::shared_ptr<const GroupState> group) {
    MutexLock lock(mutex_);
    groups_[index] = std::move(group);
  }

 private:
  mutable Mutex mutex_;
  Groups groups_ GUARDED_BY(mutex_);
};

}  // namespace statmill::rules
