#include "server/rules/group_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "proto/prometheus/labels_name.h"
#include "server/promql/parser.h"
#include "server/rules/alert_row.h"
#include "server/rules/template_run.h"

namespace statmill::rules {
namespace {

// A template gets at most so many samples of a query.
constexpr size_t kTemplateSamplesMax = 1000;
// The templates of one rule may ask so often in one evaluation.
constexpr size_t kTemplateQueriesMax = 1000;
// A firing alert that is not sent again ends by itself after so many intervals: as in Prometheus.
constexpr int kIntervalsToEnd = 4;

Error fault(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

LabelMap map_of(const SeriesLabels& labels) { return {labels.all().begin(), labels.all().end()}; }

// The name of a series with these labels.
Result<std::string> series_name(std::string_view metric, const LabelMap& labels) {
  LabelPairs pairs = {{std::string(promql::kNameLabel), std::string(metric)}};
  for (const auto& [name, value] : labels) {
    if (name != promql::kNameLabel) pairs.emplace_back(name, value);
  }
  return canonical_name(pairs);
}

Status check_limit(size_t limit, size_t count, std::string_view what) {
  if (limit == 0 || count <= limit) return Status::ok();
  return fault("exceeded limit of " + std::to_string(limit) + " with " + std::to_string(count) + " " +
               std::string(what));
}

}  // namespace

GroupRun::GroupRun(std::shared_ptr<const RuleGroup> group, const Services& services)
    : group_(std::move(group)), services_(services), rules_(group_->rules.size()) {
  std::map<std::string, size_t> same;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = group_->rules[i];
    rules_[i].id = rule_id(*group_, rule, same[rule_id(*group_, rule, 0)]++);
  }
}

GroupRun::~GroupRun() {
  for (size_t i = 0; i < rules_.size(); ++i) take(i);
}

void GroupRun::restore(size_t rule, Kept kept) {
  RuleRun& run = rules_[rule];
  run.series = std::move(kept.series);
  while (!kept.alerts.empty()) {
    auto one = kept.alerts.extract(kept.alerts.begin());
    run.alerts.restore(std::move(one.key()), std::move(one.mapped()));
  }
  account(run, 0, 0);
}

GroupRun::Kept GroupRun::take(size_t rule) {
  RuleRun& run = rules_[rule];
  const size_t active = run.alerts.active();
  const size_t resolved = run.alerts.alerts().size() - active;
  Kept out{run.alerts.take(), std::exchange(run.series, {})};
  account(run, active, resolved);
  return out;
}

void GroupRun::account(const RuleRun& run, size_t active, size_t resolved) {
  const size_t now = run.alerts.active();
  services_.budget.used += now - active;
  services_.budget.resolved += run.alerts.alerts().size() - now - resolved;
}

void GroupRun::evaluate(Timestamp at) {
  const SteadyTime group_began = services_.clock.steady();
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (services_.is_ending.load(std::memory_order_relaxed)) return;
    const SteadyTime began = services_.clock.steady();
    const Status status = evaluate(group_->rules[i], rules_[i], at);
    services_.evaluations.add();
    if (!status) services_.failed.add();
    rules_[i].outcome = {.fault = status ? std::string() : status.error().message,
                         .evaluated_at = at,
                         .took = services_.clock.steady() - began};
  }
  evaluated_at_ = at;
  took_ = services_.clock.steady() - group_began;
}

std::shared_ptr<const GroupState> GroupRun::state() const {
  auto out = std::make_shared<GroupState>();
  out->group = group_;
  for (const RuleRun& run : rules_) out->rules.push_back({run.outcome, run.alerts.alerts()});
  out->evaluated_at = evaluated_at_;
  out->took = took_;
  return out;
}

Status GroupRun::evaluate(const Rule& rule, RuleRun& run, Timestamp at) {
  const auto samples = services_.source.evaluate(rule.tree, rule.expression, at, group_->interval);
  if (!samples) return samples.error();
  return rule.kind == Rule::Kind::kRecording ? record(rule, run, at, *samples)
                                             : alert(rule, run, at, *samples);
}

Status GroupRun::record(const Rule& rule, RuleRun& run, Timestamp at,
                        const std::vector<RuleSample>& samples) {
  if (Status s = check_limit(group_->limit, samples.size(), "series"); !s) return s;
  std::set<std::string> names;
  std::vector<RecordedSample> recorded;
  for (const RuleSample& sample : samples) {
    LabelMap labels = map_of(sample.labels);
    for (const RuleText& label : rule.labels) labels.insert_or_assign(label.name, label.text);
    auto name = series_name(rule.name, labels);
    if (!name) return name.error();
    if (!names.insert(*name).second)
      return fault("vector contains metrics with the same labelset after applying rule labels");
    if (sample.value.is_finite()) recorded.push_back({*std::move(name), sample.value});
  }
  return record(run, std::move(recorded), at);
}

// What the newest evaluation recorded and this one does not has ended.
Status GroupRun::record(RuleRun& run, std::vector<RecordedSample> samples, Timestamp at) {
  std::set<std::string> names;
  for (const RecordedSample& sample : samples) names.insert(sample.name);
  std::vector<std::string> ended;
  std::ranges::set_difference(run.series, names, std::back_inserter(ended));
  run.series = std::move(names);
  if (!ended.empty()) services_.sink.end(ended, at);
  return services_.sink.record(samples, at);
}

Result<std::vector<ActiveAlerts::Found>> GroupRun::found(const Rule& rule, Timestamp at,
                                                         const std::vector<RuleSample>& samples) {
  std::vector<ActiveAlerts::Found> out;
  std::set<LabelMap> seen;
  templates_began_ = services_.clock.steady();
  const TemplateServices services = templates(at);
  TemplateData data;
  data.external_labels = {services_.options.labels.begin(), services_.options.labels.end()};
  data.external_url = services_.options.url;
  for (const RuleSample& sample : samples) {
    if (const auto left = time_left(); !left) return left.error();
    ActiveAlerts::Found& one = out.emplace_back();
    size_t bytes = 0;
    one.value = sample.value.value();
    one.labels = map_of(sample.labels);
    data.labels = one.labels;
    data.value = one.value;
    one.labels.erase(std::string(promql::kNameLabel));
    // A template that fails becomes its error, so that the alert is not lost with it.
    const auto expanded = [&](const RuleText& text) {
      auto result = expand_template(text.tree, data, services);
      std::string value =
          result ? *std::move(result) : "<error expanding template: " + result.error().message + ">";
      bytes += value.size();
      if (bytes <= kAlertTextBytesMax) return value;
      return "<error expanding template: the alert has more than " + std::to_string(kAlertTextBytesMax) +
             " bytes>";
    };
    for (const RuleText& label : rule.labels) {
      std::string value = expanded(label);
      one.labels.erase(label.name);
      if (!value.empty()) one.labels.emplace(label.name, std::move(value));
    }
    one.labels.insert_or_assign(std::string(kAlertName), rule.name);
    size_t label_bytes = 0;
    for (const auto& [name, value] : one.labels) label_bytes += name.size() + value.size();
    if (label_bytes > kAlertTextBytesMax)
      return fault("an alert has labels of more than " + std::to_string(kAlertTextBytesMax) + " bytes");
    for (const RuleText& annotation : rule.annotations)
      one.annotations.emplace(annotation.name, expanded(annotation));
    if (!seen.insert(one.labels).second)
      return fault("vector contains metrics with the same labelset after applying alert labels");
  }
  if (const auto left = time_left(); !left) return left.error();
  return out;
}

Result<Duration> GroupRun::time_left() const {
  if (services_.is_ending.load(std::memory_order_relaxed))
    return Error{ErrorCode::kUnavailable, "the server stops"};
  const auto used = std::chrono::floor<Duration>(services_.clock.steady() - templates_began_);
  if (used < group_->interval) return group_->interval - used;
  return Error{ErrorCode::kLimit, "the templates take longer than the interval of the group"};
}

AlertRoom GroupRun::room(const RuleRun& run) const {
  const AlertBudget& budget = services_.budget;
  const size_t active = run.alerts.active();
  const size_t others = budget.used - active;
  const size_t others_resolved = budget.resolved - (run.alerts.alerts().size() - active);
  return {budget.max - std::min(budget.max, others), budget.max - std::min(budget.max, others_resolved)};
}

Status GroupRun::alert(const Rule& rule, RuleRun& run, Timestamp at, const std::vector<RuleSample>& samples) {
  const size_t active = run.alerts.active();
  const size_t resolved = run.alerts.alerts().size() - active;
  const AlertRoom left = room(run);
  if (Status s = check_limit(group_->limit, samples.size(), "alerts"); !s) return s;
  if (samples.size() > left.active)
    return Error{ErrorCode::kLimit, "all rules together would have more than " +
                                        std::to_string(services_.budget.max) +
                                        " active alerts (--rules.alerts)"};
  auto all = found(rule, at, samples);
  if (!all) return all.error();
  save(run, run.alerts.step(*std::move(all), rule, at, left));
  account(run, active, resolved);
  send(rule, run, at);
  return record_alerts(run, at);
}

void GroupRun::save(const RuleRun& run, const std::vector<ActiveAlerts::Change>& changes) {
  for (const ActiveAlerts::Change& change : changes) {
    if (!services_.changes.has_room()) {
      services_.unsaved.add();
      continue;
    }
    if (change.alert) {
      services_.changes.put(alert_row(run.id, *change.labels, *change.alert, services_.clock.wall()));
    } else {
      services_.changes.remove(alert_key(run.id, *change.labels));
    }
  }
}

void GroupRun::send(const Rule& rule, RuleRun& run, Timestamp at) {
  std::vector<SentAlert> out;
  const Duration lifetime = kIntervalsToEnd * std::max(group_->interval, services_.options.resend);
  for (const auto* entry : run.alerts.take_due(at, services_.options.resend)) {
    const auto& [labels, alert] = *entry;
    SentAlert& sent = out.emplace_back();
    sent.labels = labels;
    for (const auto& [name, value] : services_.options.labels) sent.labels.emplace(name, value);
    sent.annotations = alert.annotations;
    sent.starts_at = alert.fired_at;
    sent.ends_at = alert.state == Alert::State::kResolved ? alert.resolved_at : at + lifetime;
    sent.expression = rule.expression;
  }
  if (!out.empty()) services_.alerts.send(std::move(out));
}

// ALERTS is 1 for each active alert; ALERTS_FOR_STATE is the time since when it is active. An alert whose
// labels a series cannot have is a fault of the rule, but the others are recorded.
Status GroupRun::record_alerts(RuleRun& run, Timestamp at) {
  std::vector<RecordedSample> samples;
  Status unnamed = Status::ok();
  for (const auto& [labels, alert] : run.alerts.alerts()) {
    if (alert.state == Alert::State::kResolved) continue;
    auto for_state = series_name(kAlertsForState, labels);
    LabelMap with_state = labels;
    with_state.insert_or_assign(std::string(kAlertState), std::string(state_text(alert.state)));
    auto name = series_name(kAlerts, with_state);
    if (!name || !for_state) {
      if (unnamed) unnamed = Error(name ? for_state.error() : name.error()).with("series of an alert");
      continue;
    }
    samples.push_back({*std::move(name), AnswerNumber::decimal(1, 0)});
    samples.push_back({*std::move(for_state), AnswerNumber::decimal(unix_seconds(alert.active_at), 0)});
  }
  Status recorded = record(run, std::move(samples), at);
  return recorded ? unnamed : recorded;
}

TemplateServices GroupRun::templates(Timestamp at) {
  return {
      [this, at, queries = size_t{0}](std::string_view query) mutable -> Result<std::vector<TemplateSample>> {
        if (++queries > kTemplateQueriesMax)
          return fault("the templates of a rule ask at most " + std::to_string(kTemplateQueriesMax) +
                       " queries");
        const auto tree = promql::parse_promql(query);
        if (!tree) return tree.error();
        const auto left = time_left();
        if (!left) return left.error();
        const auto samples = services_.source.evaluate(*tree, query, at, *left);
        if (!samples) return samples.error();
        if (samples->size() > kTemplateSamplesMax)
          return fault("a template gets at most " + std::to_string(kTemplateSamplesMax) + " samples");
        std::vector<TemplateSample> out;
        for (const RuleSample& sample : *samples)
          out.push_back({map_of(sample.labels), sample.value.value()});
        return out;
      },
      services_.options.url};
}

}  // namespace statmill::rules
