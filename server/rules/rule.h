// Rule: a recording or alerting rule of a rule file, and the group that is evaluated with it.
//
// The form is that of Prometheus (prometheus.io/docs/prometheus/latest/configuration/recording_rules and
// alerting_rules).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/promql/ast.h"
#include "server/rules/template_tree.h"

namespace statmill::rules {

inline constexpr std::string_view kAlertName = "alertname";
inline constexpr std::string_view kAlertState = "alertstate";
inline constexpr std::string_view kAlerts = "ALERTS";
inline constexpr std::string_view kAlertsForState = "ALERTS_FOR_STATE";

// A label or an annotation: its name and a template.
struct RuleText {
  std::string name;
  std::string text;
  TemplateTree tree;  // of the text
};

struct Rule {
  enum class Kind : uint8_t { kRecording, kAlerting };
  Kind kind = Kind::kRecording;
  std::string name;  // of the series that it records, or of the alert
  std::string expression;
  promql::SyntaxTree tree;       // of the expression: a scalar or a vector
  std::vector<RuleText> labels;  // ascending by name; of a recording rule as they are, without templates
  // The rest is of alerting rules.
  Duration hold{0};         // `for`
  Duration keep_firing{0};  // `keep_firing_for`
  std::vector<RuleText> annotations;
};

struct RuleGroup {
  std::string name;
  std::string file;  // its path
  Duration interval = std::chrono::minutes(1);
  Duration query_offset{0};
  size_t limit = 0;  // of the series or alerts of each rule; 0: none
  std::vector<Rule> rules;
};

}  // namespace statmill::rules
