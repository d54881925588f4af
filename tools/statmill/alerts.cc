#include <algorithm>
#include <array>
#include <boost/program_options/value_semantic.hpp>

#include "base/csv_text.h"
#include "base/text.h"
#include "base/time_text.h"
#include "tools/statmill/answer.h"
#include "tools/statmill/answer_document.h"
#include "tools/statmill/commands.h"
#include "tools/statmill/options.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

constexpr std::string_view kAlertsText =
    "Prints the alerts of the server's rules that are pending or firing, or with --rules all rules with how\n"
    "their newest evaluation went. The exit status is 0 even if something fires.";

struct AlertRow {
  std::string state;
  std::string name;
  std::string value;
  std::string since;  // as the server wrote it
  std::string labels;
  std::string summary;
};

struct RuleRow {
  std::string health;
  std::string group;
  std::string name;
  std::string type;
  std::string expression;
  std::string fault;
};

struct Rules {
  std::vector<AlertRow> alerts;
  std::vector<RuleRow> rules;
};

AlertRow read_alert(AnswerDocument& document, const boost::json::value& alert) {
  AlertRow row;
  row.state = document.text(document.field(alert, "state"));
  row.value = document.text(document.field(alert, "value"));
  row.since = document.text(document.field(alert, "activeAt"));
  if (const auto* labels = document.field(alert, "labels").if_object()) {
    for (const auto& [name, value] : *labels) {
      if (name == "alertname") {
        row.name = document.text(value);
      } else {
        row.labels.append(row.labels.empty() ? "" : ", ").append(name).append("=");
        append_json_string(row.labels, document.text(value));
      }
    }
  }
  if (const auto* summary = document.optional(document.field(alert, "annotations"), "summary"))
    row.summary = document.text(*summary);
  return row;
}

Result<Rules> parse_rules(std::string_view body) {
  AnswerDocument document(body);
  Rules out;
  for (const auto& group :
       document.array(document.field(document.field(document.root(), "data"), "groups"))) {
    for (const auto& rule : document.array(document.field(group, "rules"))) {
      RuleRow& row = out.rules.emplace_back();
      row.health = document.text(document.field(rule, "health"));
      row.group = document.text(document.field(group, "name"));
      row.name = document.text(document.field(rule, "name"));
      row.type = document.text(document.field(rule, "type"));
      row.expression = document.text(document.field(rule, "query"));
      if (const auto* fault = document.optional(rule, "lastError")) row.fault = document.text(*fault);
      if (const auto* alerts = document.optional(rule, "alerts")) {
        for (const auto& alert : document.array(*alerts)) out.alerts.push_back(read_alert(document, alert));
      }
    }
  }
  if (document.failed()) return not_understood("list of rules");
  return out;
}

std::string alerts_table(const Rules& rules, Timestamp now) {
  TextTable table(
      {{"state"}, {"alert"}, {"for", Align::kRight}, {"value", Align::kRight}, {"summary"}, {"labels"}});
  for (const AlertRow& row : rules.alerts) {
    const Result<int64_t> since = parse_time(row.since, now);
    const std::string age =
        since ? format_duration(std::chrono::seconds(std::max<int64_t>(0, unix_seconds(now) - *since))) : "-";
    table.add({row.state, row.name, age, row.value, row.summary, row.labels});
  }
  return table.text();
}

std::string rules_table(const Rules& rules) {
  TextTable table({{"health"}, {"group"}, {"rule"}, {"type"}, {"fault"}});
  for (const RuleRow& row : rules.rules) table.add({row.health, row.group, row.name, row.type, row.fault});
  return table.text();
}

template <size_t N>
void append_row(std::string& out, const std::array<std::string_view, N>& cells) {
  for (size_t i = 0; i < N; ++i) {
    if (i > 0) out.push_back(',');
    append_csv_text(out, cells[i]);
  }
  out.push_back('\n');
}

std::string csv(const Rules& rules, bool has_rules) {
  std::string out =
      has_rules ? "health,group,rule,type,expression,fault\n" : "state,alert,since,value,summary,labels\n";
  if (has_rules) {
    for (const RuleRow& row : rules.rules)
      append_row(out, std::array<std::string_view, 6>{row.health, row.group, row.name, row.type,
                                                      row.expression, row.fault});
  } else {
    for (const AlertRow& row : rules.alerts)
      append_row(out, std::array<std::string_view, 6>{row.state, row.name, row.since, row.value, row.summary,
                                                      row.labels});
  }
  return out;
}

}  // namespace

Outcome run_alerts(std::span<const std::string> arguments, const Environment& environment) {
  namespace po = boost::program_options;
  Usage usage{.synopsis = "alerts [OPTION]...", .text = kAlertsText, .operands_max = 0};
  usage.options.add_options()                                             //
      ("rules", "print the rules instead, with what is wrong with them")  //
      ("format", po::value<std::string>()->default_value("table")->value_name("FORM"), "table, json or csv");
  const CommandLine line(std::move(usage), arguments, environment);
  if (line.outcome()) return *line.outcome();
  const Result<Format> format = parse_format(line.text("format"));
  if (!format) return outcome_of(format.error());
  const Result<HttpAnswer> answer = line.client().get("/prometheus/api/v1/rules");
  if (!answer) return outcome_of(answer.error());
  if (answer->status != 200) return outcome_of(*answer);
  const Result<Rules> rules = parse_rules(answer->body);
  if (!rules) return outcome_of(rules.error());
  const bool has_rules = line.has("rules");
  Outcome out;
  if (*format == Format::kJson) out.output = json_output(answer->body);
  if (*format == Format::kCsv) out.output = csv(*rules, has_rules);
  const bool is_empty = has_rules ? rules->rules.empty() : rules->alerts.empty();
  if (*format == Format::kTable && !is_empty)
    out.output = has_rules ? rules_table(*rules) : alerts_table(*rules, environment.now);
  if (rules->rules.empty()) {
    out.messages = "statmill: the server has no rules (--rules)\n";
  } else if (rules->alerts.empty() && !has_rules) {
    out.messages = "statmill: no alert is pending or firing\n";
  }
  return out;
}

}  // namespace statmill
