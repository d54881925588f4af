#include "server/rules/template_run.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace statmill::rules {
namespace {

Error run_fault(std::string message) { return {ErrorCode::kInvalid, "template: " + std::move(message)}; }

Result<TemplateValue> field_of(const TemplateValue& value, const std::string& name) {
  if (const auto* map = std::get_if<LabelMap>(&value)) {
    const auto at = map->find(name);
    return TemplateValue(at == map->end() ? std::string() : at->second);
  }
  if (const auto* sample = std::get_if<TemplateSample>(&value)) {
    if (name == "Labels") return TemplateValue(sample->labels);
    if (name == "Value") return TemplateValue(sample->value);
  }
  if (const auto* data = std::get_if<TemplateData>(&value)) {
    if (name == "Labels") return TemplateValue(data->labels);
    if (name == "ExternalLabels") return TemplateValue(data->external_labels);
    if (name == "ExternalURL") return TemplateValue(data->external_url);
    if (name == "Value") return TemplateValue(data->value);
  }
  return run_fault("a " + std::string(type_name(value)) + " has no field " + name);
}

class Run {
 public:
  Run(const TemplateData& data, const TemplateServices& services) : services_(services) {
    variables_ = {{"", data},
                  {"labels", data.labels},
                  {"externalLabels", data.external_labels},
                  {"externalURL", data.external_url},
                  {"value", data.value}};
  }

  Status expand(const std::vector<TemplateNode>& nodes, const TemplateValue& dot) {
    for (const TemplateNode& node : nodes) {
      if (Status s = count_step(); !s) return s;
      if (Status s = expand(node, dot); !s) return s;
      if (out_.size() > kTemplateTextBytesMax)
        return run_fault("the text is longer than " + std::to_string(kTemplateTextBytesMax) + " bytes");
    }
    return Status::ok();
  }
  std::string text() && { return std::move(out_); }

 private:
  Status count_step() {
    if (++steps_ <= kTemplateStepsMax) return Status::ok();
    return run_fault("more than " + std::to_string(kTemplateStepsMax) + " steps");
  }

  Status expand(const TemplateNode& node, const TemplateValue& dot) {
    if (node.kind == TemplateNode::Kind::kText) {
      out_ += node.text;
      return Status::ok();
    }
    const size_t known = variables_.size();
    auto value = evaluate(node.pipe, dot);
    if (!value) return value.error();
    if (node.kind == TemplateNode::Kind::kPipe) {
      if (node.pipe.variables.empty()) out_ += text_of(*value);
      return Status::ok();  // a variable lives until the block ends
    }
    if (node.kind == TemplateNode::Kind::kRange) {
      if (Status s = expand_range(node, *value, dot); !s) return s;
    } else {
      const bool is_with = node.kind == TemplateNode::Kind::kWith;
      const Status s =
          is_true(*value) ? expand(node.body, is_with ? *value : dot) : expand(node.otherwise, dot);
      if (!s) return s;
    }
    variables_.resize(known);
    return Status::ok();
  }

  Status expand_range(const TemplateNode& node, const TemplateValue& over, const TemplateValue& dot) {
    if (std::holds_alternative<std::monostate>(over) || !is_true(over)) return expand(node.otherwise, dot);
    if (const auto* list = std::get_if<std::vector<TemplateSample>>(&over)) {
      for (size_t i = 0; i < list->size(); ++i) {
        if (Status s = expand_turn(node, static_cast<int64_t>(i), (*list)[i]); !s) return s;
      }
      return Status::ok();
    }
    const auto* map = std::get_if<LabelMap>(&over);
    if (map == nullptr) return run_fault("range cannot go over a " + std::string(type_name(over)));
    for (const auto& [name, value] : *map) {
      if (Status s = expand_turn(node, name, value); !s) return s;
    }
    return Status::ok();
  }

  Status expand_turn(const TemplateNode& node, TemplateValue key, const TemplateValue& element) {
    const size_t known = variables_.size();
    const std::vector<std::string>& names = node.pipe.variables;
    if (names.size() == 2) set_variable(node.pipe, names[0], std::move(key));
    if (!names.empty()) set_variable(node.pipe, names.back(), element);
    if (Status s = expand(node.body, element); !s) return s;
    variables_.resize(known);
    return Status::ok();
  }

  void set_variable(const TemplatePipe& pipe, const std::string& name, TemplateValue value) {
    if (!pipe.is_assignment) {
      variables_.emplace_back(name, std::move(value));
      return;
    }
    const auto at = std::ranges::find(variables_.rbegin(), variables_.rend(), name,
                                      &std::pair<std::string, TemplateValue>::first);
    if (at != variables_.rend()) at->second = std::move(value);
  }

  // The value of the pipe; its variables get it, but for a range, whose turns set them.
  Result<TemplateValue> evaluate(const TemplatePipe& pipe, const TemplateValue& dot) {
    std::optional<TemplateValue> value;
    for (const TemplateCommand& command : pipe.commands) {
      auto next = evaluate(command, dot, value);
      if (!next) return next;
      value = *std::move(next);
    }
    if (pipe.variables.size() == 1) set_variable(pipe, pipe.variables[0], *value);
    return *std::move(value);
  }

  // `last`: the value of the command before it in the pipe, its last argument.
  Result<TemplateValue> evaluate(const TemplateCommand& command, const TemplateValue& dot,
                                 const std::optional<TemplateValue>& last) {
    const TemplateOperand& first = command.words[0];
    if (first.kind != TemplateOperand::Kind::kFunction) {
      if (command.words.size() > 1 || last) return run_fault("a value cannot have arguments");
      return evaluate(first, dot);
    }
    const bool stops_at = first.name == "or";  // `or` stops at the first true value, `and` at the first false
    const bool is_logic = stops_at || first.name == "and";
    std::vector<TemplateValue> arguments;
    for (const TemplateOperand& word : command.words | std::views::drop(1)) {
      auto value = evaluate(word, dot);
      if (!value) return value;
      if (is_logic && is_true(*value) == stops_at) return value;
      arguments.push_back(*std::move(value));
    }
    if (last) arguments.push_back(*last);
    if (!is_logic) {
      auto value = call_template_function(first.name, arguments, services_);
      if (!value) return Error(value.error()).with("template");
      return with_fields(*std::move(value), first);
    }
    if (arguments.empty()) return run_fault(first.name + " has no arguments");
    return std::move(arguments.back());
  }

  Result<TemplateValue> evaluate(const TemplateOperand& operand, const TemplateValue& dot) {
    if (Status s = count_step(); !s) return s.error();
    switch (operand.kind) {
      case TemplateOperand::Kind::kLiteral:
        return operand.literal;
      case TemplateOperand::Kind::kDot:
        return with_fields(dot, operand);
      case TemplateOperand::Kind::kVariable: {
        const auto at = std::ranges::find(variables_.rbegin(), variables_.rend(), operand.name,
                                          &std::pair<std::string, TemplateValue>::first);
        if (at == variables_.rend()) return run_fault("undefined variable $" + operand.name);
        return with_fields(at->second, operand);
      }
      case TemplateOperand::Kind::kFunction:
        return evaluate(TemplateCommand{{operand}}, dot, std::nullopt);
      case TemplateOperand::Kind::kPipe: {
        auto value = evaluate(operand.pipe, dot);
        return value ? with_fields(*std::move(value), operand) : value;
      }
    }
    return run_fault("unknown operand");
  }

  static Result<TemplateValue> with_fields(TemplateValue value, const TemplateOperand& operand) {
    for (const std::string& field : operand.fields) {
      auto next = field_of(value, field);
      if (!next) return next;
      value = *std::move(next);
    }
    return value;
  }

  const TemplateServices& services_;
  std::vector<std::pair<std::string, TemplateValue>> variables_;
  std::string out_;
  size_t steps_ = 0;
};

}  // namespace

Result<std::string> expand_template(const TemplateTree& tree, const TemplateData& data,
                                    const TemplateServices& services) {
  Run run(data, services);
  if (Status s = run.expand(tree.nodes, data); !s) return s.error();
  return std::move(run).text();
}

}  // namespace statmill::rules
