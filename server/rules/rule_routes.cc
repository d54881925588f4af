#include "server/rules/rule_routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "server/http/list_writer.h"
#include "server/json.h"
#include "server/promql/prometheus_json.h"
#include "server/rules/alertmanager.h"
#include "server/rules/label_json.h"

namespace statmill::rules {
namespace {

constexpr std::array<ParameterRule, 5> kRuleParameters = {
    {{"type"}, {"rule_name[]", true}, {"rule_group[]", true}, {"file[]", true}, {"exclude_alerts"}}};
constexpr std::array<ParameterRule, 0> kNoParameters = {};

std::string time_text(Timestamp time) {
  return time == Timestamp{} ? "0001-01-01T00:00:00Z" : api_time(time);
}

void append_texts(std::string& out, const std::vector<RuleText>& texts) {
  JsonObject object(out);
  for (const RuleText& text : texts) object.text(text.name, text.text);
}

void append_seconds(JsonObject& object, std::string_view key, std::chrono::nanoseconds time) {
  object.number(key, std::chrono::duration<double>(time).count());
}

std::string value_text(double value) {
  std::string out;
  append_number_text(out, value);
  return out;
}

void append_alert(std::string& out, const LabelMap& labels, const Alert& alert) {
  JsonObject object(out);
  append_labels(object.key("labels"), labels);
  append_labels(object.key("annotations"), alert.annotations);
  object.text("state", state_text(alert.state));
  object.text("activeAt", time_text(alert.active_at));
  if (alert.keep_firing_since != Timestamp{})
    object.text("keepFiringSince", time_text(alert.keep_firing_since));
  object.text("value", value_text(alert.value));
}

// The worst state of the rule's alerts.
std::string_view rule_state(const ActiveAlerts::Alerts& alerts) {
  Alert::State worst = Alert::State::kResolved;
  for (const auto& [labels, alert] : alerts) {
    if (alert.state == Alert::State::kFiring) return state_text(alert.state);
    if (alert.state == Alert::State::kPending) worst = alert.state;
  }
  return state_text(worst);
}

struct RuleFilter {
  bool has_alerting = true;
  bool has_recording = true;
  bool excludes_alerts = false;
  std::vector<std::string> names;
  std::vector<std::string> groups;
  std::vector<std::string> files;

  static bool has(const std::vector<std::string>& wanted, const std::string& text) {
    return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
  }
  bool accepts(const RuleGroup& group) const { return has(groups, group.name) && has(files, group.file); }
  bool accepts(const Rule& rule) const {
    return has(names, rule.name) && (rule.kind == Rule::Kind::kAlerting ? has_alerting : has_recording);
  }
};

std::vector<std::string> values_of(const Url& url, std::string_view name) {
  std::vector<std::string> out;
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name == name) out.push_back(parameter.value);
  }
  return out;
}

Result<RuleFilter> parse_filter(const Url& url) {
  RuleFilter out;
  const auto type = url.find("type").value_or("");
  if (!type.empty() && type != "alert" && type != "record")
    return Error{ErrorCode::kInvalid,
                 "invalid parameter \"type\": not supported value \"" + std::string(type) + "\""};
  out.has_alerting = type != "record";
  out.has_recording = type != "alert";
  const auto excludes = url.find("exclude_alerts").value_or("");
  if (!excludes.empty() && excludes != "true" && excludes != "false")
    return Error{ErrorCode::kInvalid, "invalid parameter \"exclude_alerts\": true or false is expected"};
  out.excludes_alerts = excludes == "true";
  out.names = values_of(url, "rule_name[]");
  out.groups = values_of(url, "rule_group[]");
  out.files = values_of(url, "file[]");
  return out;
}

// Sends what is written in pieces, so that many alerts of one group are not in memory as one text.
class Pieces {
 public:
  explicit Pieces(BodySink& sink) : sink_(sink) {}
  // Call it between two values. After an error nothing is sent any more.
  void pass(std::string& out) {
    if (out.size() < kPieceBytes) return;
    if (status_) status_ = sink_.write(out);
    out.clear();
  }
  const Status& status() const { return status_; }

 private:
  static constexpr size_t kPieceBytes = size_t{16} << 10;

  BodySink& sink_;
  Status status_ = Status::ok();
};

void append_rule(std::string& out, const Rule& rule, const RuleState& state, bool excludes_alerts,
                 Pieces& pieces) {
  JsonObject object(out);
  const bool is_alerting = rule.kind == Rule::Kind::kAlerting;
  if (is_alerting) object.text("state", rule_state(state.alerts));
  object.text("name", rule.name);
  object.text("query", rule.expression);
  if (is_alerting) {
    object.number("duration", std::chrono::duration<double>(rule.hold).count());
    object.number("keepFiringFor", std::chrono::duration<double>(rule.keep_firing).count());
  }
  append_texts(object.key("labels"), rule.labels);
  if (is_alerting) {
    append_texts(object.key("annotations"), rule.annotations);
    JsonArray alerts(object.key("alerts"));
    for (const auto& [labels, alert] : state.alerts) {
      if (!pieces.status()) break;
      if (!excludes_alerts && alert.state != Alert::State::kResolved)
        append_alert(alerts.element(), labels, alert);
      pieces.pass(out);
    }
  }
  object.text("health", state.evaluated_at == Timestamp{} ? "unknown" : state.fault.empty() ? "ok" : "err");
  if (!state.fault.empty()) object.text("lastError", state.fault);
  append_seconds(object, "evaluationTime", state.took);
  object.text("lastEvaluation", time_text(state.evaluated_at));
  object.text("type", is_alerting ? "alerting" : "recording");
}

void append_group(std::string& out, const GroupState& state, const RuleFilter& filter, Pieces& pieces) {
  const RuleGroup& group = *state.group;
  JsonObject object(out);
  object.text("name", group.name);
  object.text("file", group.file);
  {
    JsonArray rules(object.key("rules"));
    for (size_t i = 0; i < group.rules.size(); ++i) {
      if (!pieces.status()) break;
      if (filter.accepts(group.rules[i]))
        append_rule(rules.element(), group.rules[i], state.rules[i], filter.excludes_alerts, pieces);
      pieces.pass(out);
    }
  }
  object.number("interval", std::chrono::duration<double>(group.interval).count());
  object.count("limit", group.limit);
  append_seconds(object, "evaluationTime", state.took);
  object.text("lastEvaluation", time_text(state.evaluated_at));
}

// Returns whether the filter leaves any rule of the group.
bool has_rules(const RuleGroup& group, const RuleFilter& filter) {
  if (!filter.accepts(group)) return false;
  return std::ranges::any_of(group.rules, [&](const Rule& rule) { return filter.accepts(rule); });
}

HttpResponse written(const Status& status) {
  return status ? HttpResponse{} : evaluation_error(status.error());
}

HttpResponse handle_rules(const RuleBoard* board, const Url& url, BodySink& sink) {
  const auto filter = parse_filter(url);
  if (!filter) return prometheus_error(PrometheusError::kBadData, filter.error().message);
  ListWriter answer(sink, R"({"status":"success","data":{"groups":[)");
  Pieces pieces(sink);
  for (const auto& group : board == nullptr ? RuleBoard::Groups() : board->groups()) {
    if (!has_rules(*group->group, *filter)) continue;
    if (Status s = answer.add([&](std::string& out) { append_group(out, *group, *filter, pieces); }); !s)
      return written(s);
    if (!pieces.status()) return written(pieces.status());
  }
  return written(answer.end("]}}\n"));
}

HttpResponse handle_alerts(const RuleBoard* board, BodySink& sink) {
  ListWriter answer(sink, R"({"status":"success","data":{"alerts":[)");
  for (const auto& group : board == nullptr ? RuleBoard::Groups() : board->groups()) {
    for (const RuleState& rule : group->rules) {
      for (const auto& [labels, alert] : rule.alerts) {
        if (alert.state == Alert::State::kResolved) continue;
        if (Status s = answer.add([&](std::string& out) { append_alert(out, labels, alert); }); !s)
          return written(s);
      }
    }
  }
  return written(answer.end("]}}\n"));
}

}  // namespace

std::vector<Route> rule_routes(const RuleBoard* board) {
  return {
      prometheus_route(
          "/prometheus/api/v1/rules", kRuleParameters,
          [board](const Url& url, QueryControl&, BodySink& sink) { return handle_rules(board, url, sink); },
          "the rules, and how their newest evaluation went"),
      prometheus_route(
          "/prometheus/api/v1/alerts", kNoParameters,
          [board](const Url&, QueryControl&, BodySink& sink) { return handle_alerts(board, sink); },
          "the alerts that are pending or firing")};
}

}  // namespace statmill::rules
