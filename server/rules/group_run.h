// GroupRun: a group of rules with its alerts, and one evaluation after the other.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/rules/active_alerts.h"
#include "server/rules/rule.h"
#include "server/rules/rule_board.h"
#include "server/rules/rule_options.h"
#include "server/rules/rule_source.h"
#include "server/rules/template_functions.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"

namespace statmill::rules {

// What an alert looks like for those who get it.
struct SentAlert {
  LabelMap labels;  // with those of --rules.label
  LabelMap annotations;
  Timestamp starts_at{};
  Timestamp ends_at{};  // in the future, unless the alert is resolved
  std::string expression;
};

class AlertSink {
 public:
  virtual ~AlertSink() = default;
  // Sends the alerts soon. Does not wait.
  virtual void send(std::vector<SentAlert> alerts) = 0;
};

// How many alerts are active, of all rules. Confined to one thread.
struct AlertBudget {
  size_t used = 0;
  size_t max = 0;
};

// Confined to one thread.
class GroupRun {
 public:
  struct Services {  // all must outlive it
    const RuleOptions& options;
    RuleSource& source;
    RuleSink& sink;
    AlertSink& alerts;
    DocumentChanges& changes;
    AlertBudget& budget;
    const Clock& clock;
    const std::atomic<bool>& is_ending;  // true: evaluate no more rules
    Counter& evaluations;                // of rules
    Counter& failed;
    Counter& unsaved;  // changes of alerts that the store had no room for
  };

  GroupRun(std::shared_ptr<const RuleGroup> group, const Services& services);
  // Gives the alerts back to the budget.
  ~GroupRun();
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  const RuleGroup& group() const { return *group_; }
  // rule_id() of each rule.
  const std::string& id(size_t rule) const { return rules_[rule].id; }
  size_t size() const { return rules_.size(); }
  // Puts in an alert of the rule as it was before.
  void restore(size_t rule, LabelMap labels, const Alert& alert);
  void restore(size_t rule, std::set<std::string> series) { rules_[rule].series = std::move(series); }
  const ActiveAlerts::Alerts& alerts(size_t rule) const { return rules_[rule].alerts.alerts(); }
  // The names of what the newest evaluation recorded.
  const std::set<std::string>& series(size_t rule) const { return rules_[rule].series; }

  // Evaluates all rules, one after the other, at `at`.
  void evaluate(Timestamp at);

  std::shared_ptr<const GroupState> state() const;

 private:
  struct RuleRun {
    std::string id;
    ActiveAlerts alerts;
    std::set<std::string> series;
    RuleState state;
  };

  Status evaluate(const Rule& rule, RuleRun& run, Timestamp at);
  Status record(const Rule& rule, RuleRun& run, Timestamp at, const std::vector<RuleSample>& samples);
  Status alert(const Rule& rule, RuleRun& run, Timestamp at, const std::vector<RuleSample>& samples);
  Result<std::vector<ActiveAlerts::Found>> found(const Rule& rule, Timestamp at,
                                                 const std::vector<RuleSample>& samples);
  void save(const RuleRun& run, const std::vector<ActiveAlerts::Change>& changes);
  void send(const Rule& rule, RuleRun& run, Timestamp at);
  Status record_alerts(RuleRun& run, Timestamp at);
  Status record(RuleRun& run, std::vector<RecordedSample> samples, Timestamp at);
  TemplateServices templates(Timestamp at);

  const std::shared_ptr<const RuleGroup> group_;
  const Services services_;
  std::vector<RuleRun> rules_;
  Timestamp evaluated_at_{};
  std::chrono::nanoseconds took_{0};
};

}  // namespace statmill::rules
