// The syntax tree of a template: values that own their children, at most as deep as the parser allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/rules/template_value.h"

namespace statmill::rules {

struct TemplateCommand;

// a | b | c, perhaps with variables that get its value: $x := a, or $i, $x := a of a range.
struct TemplatePipe {
  std::vector<std::string> variables;
  bool is_assignment = false;  // `=`: the variable exists
  std::vector<TemplateCommand> commands;
};

// One word of a command.
struct TemplateOperand {
  enum class Kind : uint8_t { kLiteral, kDot, kVariable, kFunction, kPipe };
  Kind kind = Kind::kDot;
  TemplateValue literal;
  std::string name;                 // of the variable, without its $ ("" is $ itself), or of the function
  TemplatePipe pipe;                // in parentheses
  std::vector<std::string> fields;  // .A.B after it
};

// A function with arguments, or a value.
struct TemplateCommand {
  std::vector<TemplateOperand> words;  // not empty
};

struct TemplateNode {
  enum class Kind : uint8_t { kText, kPipe, kIf, kRange, kWith };
  Kind kind = Kind::kText;
  std::string text;
  TemplatePipe pipe;
  std::vector<TemplateNode> body;
  std::vector<TemplateNode> otherwise;  // after else
};

struct TemplateTree {
  std::vector<TemplateNode> nodes;
};

}  // namespace statmill::rules
