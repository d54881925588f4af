#include "server/rules/rule_parser.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "server/promql/literals.h"
#include "server/promql/parser.h"
#include "server/rules/template_parser.h"

namespace statmill::rules {
namespace {

Error fault(const YAML::Node& node, std::string_view what) {
  return {ErrorCode::kInvalid, "line " + std::to_string(node.Mark().line + 1) + ": " + std::string(what)};
}

// A field of a map: its name, and what reads its value.
struct Field {
  std::string_view name;
  std::function<Status(const YAML::Node&)> read;
};

// Reads a map whose fields are all known; each may be given once.
Status read_map(const YAML::Node& node, std::string_view what, std::initializer_list<Field> fields) {
  if (!node.IsMap()) return fault(node, std::string(what) + " is a map");
  std::set<std::string> seen;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) return fault(entry.first, "the name of a field is a text");
    const std::string& name = entry.first.Scalar();
    if (!seen.insert(name).second) return fault(entry.first, "the field " + name + " is given twice");
    const auto* const field = std::ranges::find(fields, name, &Field::name);
    if (field == fields.end())
      return fault(entry.first, std::string(what) + " has no field " + promql::quoted_text(name));
    if (Status s = field->read(entry.second); !s) return s;
  }
  return Status::ok();
}

Status read_list(const YAML::Node& node, std::string_view what,
                 const std::function<Status(const YAML::Node&)>& read) {
  if (node.IsNull()) return Status::ok();
  if (!node.IsSequence()) return fault(node, std::string(what) + " is a list");
  for (const YAML::Node& element : node) {
    if (Status s = read(element); !s) return s;
  }
  return Status::ok();
}

std::function<Status(const YAML::Node&)> text_field(std::string& out) {
  return [&out](const YAML::Node& node) -> Status {
    if (!node.IsScalar()) return fault(node, "a text is expected");
    out = node.Scalar();
    return Status::ok();
  };
}

// As Prometheus has it: 1h30m, also 0.
std::function<Status(const YAML::Node&)> duration_field(Duration& out) {
  return [&out](const YAML::Node& node) -> Status {
    if (!node.IsScalar()) return fault(node, "a duration is expected, such as 5m");
    const std::string& text = node.Scalar();
    if (text == "0" || text == "0s") {
      out = Duration(0);
      return Status::ok();
    }
    const auto duration = promql::parse_duration_literal(text);
    if (!duration) return fault(node, duration.error().message);
    out = *duration;
    return Status::ok();
  };
}

std::function<Status(const YAML::Node&)> count_field(size_t& out) {
  return [&out](const YAML::Node& node) -> Status {
    const auto count =
        node.IsScalar() ? parse_integer(node.Scalar(), 0, INT32_MAX) : Result<int64_t>(Error{});
    if (!count) return fault(node, "a number is expected");
    out = static_cast<size_t>(*count);
    return Status::ok();
  };
}

class RuleReader {
 public:
  RuleReader(const std::string& file, const RuleOptions& options) : file_(file), options_(options) {}

  Result<std::vector<RuleGroup>> read(const YAML::Node& root) {
    if (root.IsNull()) return std::vector<RuleGroup>();
    const Status status = read_map(
        root, "a rule file",
        {{"groups", [this](const YAML::Node& groups) {
            return read_list(groups, "groups", [this](const YAML::Node& group) { return read_group(group); });
          }}});
    if (!status) return status.error();
    return std::move(groups_);
  }

 private:
  Status read_group(const YAML::Node& node) {
    RuleGroup group;
    group.file = file_;
    group.interval = options_.interval;
    group.query_offset = options_.query_offset;
    std::vector<RuleText> labels;
    Status status =
        read_map(node, "a group",
                 {{"name", text_field(group.name)},
                  {"interval", duration_field(group.interval)},
                  {"query_offset", duration_field(group.query_offset)},
                  {"limit", count_field(group.limit)},
                  {"labels", [&](const YAML::Node& map) { return read_texts(map, labels, TextOf::kPlain); }},
                  {"rules", [&](const YAML::Node& list) {
                     return read_list(list, "rules",
                                      [&](const YAML::Node& rule) { return read_rule(rule, group.rules); });
                   }}});
    if (!status) return status;
    if (group.name.empty()) return fault(node, "a group has no name");
    if (!names_.insert(group.name).second)
      return fault(node, "the group " + promql::quoted_text(group.name) + " is given twice in the file");
    if (group.interval < std::chrono::seconds(1) || group.interval > kRuleIntervalMax)
      return fault(node, "the interval of a group is at least 1s, and at most 366d");
    if (group.query_offset > kRuleIntervalMax) return fault(node, "the query_offset is at most 366d");
    for (Rule& rule : group.rules) add_group_labels(rule, labels);
    groups_.push_back(std::move(group));
    return Status::ok();
  }

  // Those of the rule win.
  static void add_group_labels(Rule& rule, const std::vector<RuleText>& labels) {
    for (const RuleText& label : labels) {
      const auto at = std::ranges::lower_bound(rule.labels, label.name, {}, &RuleText::name);
      if (at == rule.labels.end() || at->name != label.name) rule.labels.insert(at, label);
    }
  }

  Status read_rule(const YAML::Node& node, std::vector<Rule>& rules) {
    if (++rules_ > kRulesMax)
      return fault(node, "a file has at most " + std::to_string(kRulesMax) + " rules");
    Rule rule;
    std::string record;
    std::string alert;
    YAML::Node expression;
    YAML::Node labels;
    YAML::Node annotations;
    const auto keep = [](YAML::Node& out) {
      return [&out](const YAML::Node& value) -> Status {
        out.reset(value);
        return Status::ok();
      };
    };
    Status status = read_map(node, "a rule",
                             {{"record", text_field(record)},
                              {"alert", text_field(alert)},
                              {"expr", keep(expression)},
                              {"for", duration_field(rule.hold)},
                              {"keep_firing_for", duration_field(rule.keep_firing)},
                              {"labels", keep(labels)},
                              {"annotations", keep(annotations)}});
    if (!status) return status;
    if (record.empty() == alert.empty()) return fault(node, "a rule has either `record` or `alert`");
    rule.kind = record.empty() ? Rule::Kind::kAlerting : Rule::Kind::kRecording;
    rule.name = record.empty() ? alert : record;
    if (rule.name.size() > kRuleNameBytesMax)
      return fault(node, "the name of a rule has more than " + std::to_string(kRuleNameBytesMax) + " bytes");
    const bool is_recording = rule.kind == Rule::Kind::kRecording;
    if (is_recording && (rule.hold.count() != 0 || rule.keep_firing.count() != 0 || annotations.IsMap()))
      return fault(node, "a recording rule has no `for`, `keep_firing_for` or `annotations`");
    if (is_recording && !is_metric_name(rule.name))
      return fault(node, promql::quoted_text(rule.name) + " is no name of a series");
    if (Status s = read_expression(expression, node, rule); !s) return s;
    const auto of = is_recording ? TextOf::kPlain : TextOf::kTemplate;
    if (Status s = read_texts(labels, rule.labels, of); !s) return s;
    if (Status s = read_texts(annotations, rule.annotations, TextOf::kTemplate); !s) return s;
    rules.push_back(std::move(rule));
    return Status::ok();
  }

  static Status read_expression(const YAML::Node& node, const YAML::Node& rule_node, Rule& rule) {
    if (!node.IsScalar() || node.Scalar().empty())
      return fault(rule_node, "a rule has no expression, `expr`");
    rule.expression = node.Scalar();
    while (!rule.expression.empty() &&
           std::string_view(" \n\t\r").find(rule.expression.back()) != std::string_view::npos)
      rule.expression.pop_back();
    auto tree = promql::parse_promql(rule.expression);
    if (!tree) return fault(node, "expr: " + tree.error().message);
    const promql::ValueType type = tree->at(tree->root).type;
    if (type != promql::ValueType::kScalar && type != promql::ValueType::kVector)
      return fault(node, "expr: a rule wants a scalar or an instant vector, not a " +
                             std::string(promql::documented_name(type)));
    rule.tree = *std::move(tree);
    return Status::ok();
  }

  enum class TextOf : uint8_t { kPlain, kTemplate };

  // Labels or annotations.
  static Status read_texts(const YAML::Node& node, std::vector<RuleText>& out, TextOf of) {
    if (!node.IsDefined() || node.IsNull()) return Status::ok();
    if (!node.IsMap()) return fault(node, "labels and annotations are maps");
    for (const auto& entry : node) {
      if (!entry.first.IsScalar() || !(entry.second.IsScalar() || entry.second.IsNull()))
        return fault(entry.first, "a label or an annotation is a text");
      if (out.size() == kRuleTextsMax)
        return fault(entry.first,
                     "there are more than " + std::to_string(kRuleTextsMax) + " labels or annotations");
      RuleText text{.name = entry.first.Scalar(),
                    .text = entry.second.IsNull() ? "" : entry.second.Scalar(),
                    .tree = {}};
      if (!is_label_name(text.name) || text.name == promql::kNameLabel)
        return fault(entry.first, promql::quoted_text(text.name) + " is no name of a label");
      if (std::ranges::find(out, text.name, &RuleText::name) != out.end())
        return fault(entry.first, "the label " + text.name + " is given twice");
      if (of == TextOf::kTemplate) {
        auto tree = parse_template(text.text);
        if (!tree) return fault(entry.second, tree.error().message);
        text.tree = *std::move(tree);
      }
      out.push_back(std::move(text));
    }
    std::ranges::sort(out, {}, &RuleText::name);
    return Status::ok();
  }

  // The names of Prometheus before version 3, which promtool checks; ours may have more.
  static bool is_metric_name(std::string_view name) { return !name.empty() && is_visible(name); }
  static bool is_label_name(std::string_view name) {
    return !name.empty() && name.size() <= kRuleNameBytesMax && is_visible(name);
  }
  static bool is_visible(std::string_view name) {
    return std::ranges::all_of(name,
                               [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  }

  const std::string& file_;
  const RuleOptions& options_;
  std::set<std::string> names_;
  size_t rules_ = 0;
  std::vector<RuleGroup> groups_;
};

// Ignores a document.
class NoHandler final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// Returns whether something follows the first document. YAML::LoadAll() does not come to an end if that is no
// document, and YAML::Load() ignores it.
bool has_more(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  NoHandler none;
  return parser.HandleNextDocument(none) && static_cast<bool>(parser);
}

// YAML has no other control characters (yaml.org/spec/1.2.2, "c-printable"), and some make yaml-cpp 0.7 loop
// for ever.
Status check_characters(std::string_view text) {
  int64_t line = 1;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text.front();
    const bool is_control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    if (length == 0 || is_control)
      return Error{ErrorCode::kInvalid,
                   "line " + std::to_string(line) + ": a byte that is not text in UTF-8"};
    if (c == '\n') ++line;
    text.remove_prefix(length);
  }
  return Status::ok();
}

}  // namespace

Result<std::vector<RuleGroup>> parse_rules(std::string_view text, const std::string& file,
                                           const RuleOptions& options) {
  if (text.size() > kRuleFileBytesMax)
    return Error{ErrorCode::kInvalid, "is longer than " + std::to_string(kRuleFileBytesMax) + " bytes"};
  if (Status s = check_characters(text); !s) return s.error();
  try {
    const std::string copy(text);
    if (has_more(copy))
      return Error{ErrorCode::kInvalid, "a rule file has one YAML document, and nothing after it"};
    return RuleReader(file, options).read(YAML::Load(copy));
  } catch (const YAML::Exception& e) {
    return Error{ErrorCode::kInvalid, "line " + std::to_string(e.mark.line + 1) + ": " + e.msg};
  }
}

}  // namespace statmill::rules
