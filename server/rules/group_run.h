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

// An alert's labels and annotations have at most so many bytes.
inline constexpr size_t kAlertTextBytesMax = size_t{64} << 10;

// How many alerts there are, of all rules. Confined to one thread.
struct AlertBudget {
  size_t used = 0;      // active ones
  size_t max = 0;       // of these, and of those that are resolved and kept
  size_t resolved = 0;  // which are kept
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
  // What is kept of a rule when its group is another one.
  struct Kept {
    ActiveAlerts::Alerts alerts;
    std::set<std::string> series;  // the names of what the newest evaluation recorded
  };
  // Puts in what was kept. Call it before the first evaluation.
  void restore(size_t rule, Kept kept);
  // Removes it from the rule, and gives its alerts back to the budget. Evaluate no more afterwards.
  Kept take(size_t rule);

  // Evaluates all rules, one after the other, at `at`.
  void evaluate(Timestamp at);

  std::shared_ptr<const GroupState> state() const;

 private:
  struct RuleRun {
    std::string id;
    ActiveAlerts alerts;
    std::set<std::string> series;
    RuleOutcome outcome;
  };

  Status evaluate(const Rule& rule, RuleRun& run, Timestamp at);
  Status record(const Rule& rule, RuleRun& run, Timestamp at, const std::vector<RuleSample>& samples);
  Status alert(const Rule& rule, RuleRun& run, Timestamp at, const std::vector<RuleSample>& samples);
  Result<std::vector<ActiveAlerts::Found>> found(const Rule& rule, Timestamp at,
                                                 const std::vector<RuleSample>& samples);
  AlertRoom room(const RuleRun& run) const;
  // Adjusts the budget by the alerts of a rule, which had `active` and `resolved` ones.
  void account(const RuleRun& run, size_t active, size_t resolved);
  void save(const RuleRun& run, const std::vector<ActiveAlerts::Change>& changes);
  void send(const Rule& rule, RuleRun& run, Timestamp at);
  Status record_alerts(RuleRun& run, Timestamp at);
  Status record(RuleRun& run, std::vector<RecordedSample> samples, Timestamp at);
  // Errors: kLimit: the templates of the rule take longer than the interval; kUnavailable: the server stops.
  Result<Duration> time_left() const;
  TemplateServices templates(Timestamp at);

  const std::shared_ptr<const RuleGroup> group_;
  const Services services_;
  std::vector<RuleRun> rules_;
  SteadyTime templates_began_{};  // of the rule that is evaluated
  Timestamp evaluated_at_{};
  std::chrono::nanoseconds took_{0};
};

}  // namespace statmill::rules
