#include "server/rules/template_parser.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "server/promql/literals.h"
#include "server/rules/go_string.h"
#include "server/rules/template_functions.h"

namespace statmill::rules {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_word_start(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

// How a list of nodes ends.
enum class Ending : uint8_t { kEndOfText, kEnd, kElse };

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<TemplateTree> parse() {
    TemplateTree tree;
    const Result<Ending> ending = parse_nodes(tree.nodes);
    if (!ending) return ending.error();
    if (*ending != Ending::kEndOfText) return fault("unexpected {{end}} or {{else}}");
    return tree;
  }

 private:
  Error fault(std::string_view what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at_), '\n');
    return {ErrorCode::kInvalid, "template, line " + std::to_string(line) + ": " + std::string(what)};
  }

  bool is_at_end() const { return at_ >= text_.size(); }
  char peek() const { return is_at_end() ? '\0' : text_[at_]; }
  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool consume(std::string_view what) {
    if (!starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  std::string_view consume_word() {
    const size_t begin = at_;
    while (!is_at_end() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Adds nodes up to an {{end}}, an {{else}} or the end of the text, whose action is consumed but for what
  // follows `else`.
  Result<Ending> parse_nodes(std::vector<TemplateNode>& nodes) {
    while (true) {
      add_text(nodes);
      if (is_at_end()) return Ending::kEndOfText;
      if (Status s = begin_action(); !s) return s.error();
      if (consume("/*")) {
        const size_t end = text_.find("*/", at_);
        if (end == std::string_view::npos) return fault("unclosed comment");
        at_ = end + 2;
        if (Status s = end_action(); !s) return s.error();
        continue;
      }
      const size_t begin = at_;
      const std::string_view word = consume_word();
      if (word == "else") return Ending::kElse;
      if (word == "end") {
        if (Status s = end_action(); !s) return s.error();
        return Ending::kEnd;
      }
      TemplateNode& node = nodes.emplace_back();
      if (Status s = parse_action(node, word, begin); !s) return s.error();
    }
  }

  // The text up to the next action, without the blanks that a `-` removes.
  void add_text(std::vector<TemplateNode>& nodes) {
    const size_t end = std::min(text_.find("{{", at_), text_.size());
    std::string_view text = text_.substr(at_, end - at_);
    at_ = end;
    if (trims_next_) text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    trims_next_ = false;
    if (starts_with("{{-") && at_ + 3 < text_.size() && kBlanks.find(text_[at_ + 3]) != kBlanks.npos)
      text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    if (text.empty()) return;
    TemplateNode& node = nodes.emplace_back();
    node.text = text;
  }

  Status begin_action() {
    at_ += 2;
    if (peek() == '-' && at_ + 1 < text_.size() && kBlanks.find(text_[at_ + 1]) != kBlanks.npos) ++at_;
    skip_blanks();
    return is_at_end() ? Status(fault("unclosed action")) : Status::ok();
  }

  Status end_action() {
    skip_blanks();
    if (at_ > 0 && kBlanks.find(text_[at_ - 1]) != kBlanks.npos && consume("-}}")) {
      trims_next_ = true;
      return Status::ok();
    }
    return consume("}}") ? Status::ok() : Status(fault("an action does not end where }} is expected"));
  }

  // `word` is the first one of the action, which begins at `begin`.
  Status parse_action(TemplateNode& node, std::string_view word, size_t begin) {
    if (word == "if" || word == "range" || word == "with") return parse_block(node, word);
    for (const std::string_view other : {"define", "template", "block", "break", "continue"}) {
      if (word == other) return fault("{{" + std::string(word) + "}} is not supported");
    }
    at_ = begin;
    node.kind = TemplateNode::Kind::kPipe;
    if (Status s = parse_pipe(node.pipe, false); !s) return s;
    return end_action();
  }

  Status parse_block(TemplateNode& node, std::string_view word) {
    if (++depth_ > kTemplateDepthMax) return fault("blocks are nested too deeply");
    node.kind = word == "if"      ? TemplateNode::Kind::kIf
                : word == "range" ? TemplateNode::Kind::kRange
                                  : TemplateNode::Kind::kWith;
    const size_t known = variables_.size();
    if (Status s = parse_pipe(node.pipe, word == "range"); !s) return s;
    if (Status s = end_action(); !s) return s;
    const size_t inside = variables_.size();
    Result<Ending> ending = parse_nodes(node.body);
    if (!ending) return ending.error();
    variables_.resize(inside);
    if (*ending == Ending::kElse) {
      if (Status s = parse_else(node.otherwise, ending, word); !s) return s;
    }
    if (*ending != Ending::kEnd) return fault("{{end}} is missing");
    variables_.resize(known);
    --depth_;
    return Status::ok();
  }

  // After `else`: a block of its own, {{else if x}}, or nodes up to {{end}}.
  Status parse_else(std::vector<TemplateNode>& nodes, Result<Ending>& ending, std::string_view block) {
    skip_blanks();
    if (const std::string_view word = consume_word(); !word.empty()) {
      if (word != block || word == "range")
        return fault("{{else " + std::string(word) + "}} is not expected");
      if (Status s = parse_block(nodes.emplace_back(), word); !s) return s;
      ending = Ending::kEnd;
      return Status::ok();
    }
    if (Status s = end_action(); !s) return s;
    ending = parse_nodes(nodes);
    return ending ? Status::ok() : Status(ending.error());
  }

  Status parse_pipe(TemplatePipe& pipe, bool is_of_range) {
    if (Status s = parse_declaration(pipe, is_of_range); !s) return s;
    while (true) {
      skip_blanks();
      TemplateCommand command;
      if (Status s = parse_command(command); !s) return s;
      pipe.commands.push_back(std::move(command));
      skip_blanks();
      if (!consume("|")) break;
    }
    if (!pipe.is_assignment)
      variables_.insert(variables_.end(), pipe.variables.begin(), pipe.variables.end());
    return Status::ok();
  }

  // $x := , $x = , and for a range $i, $x :=. Leaves anything else to the commands.
  Status parse_declaration(TemplatePipe& pipe, bool is_of_range) {
    skip_blanks();
    const size_t begin = at_;
    while (consume("$")) {
      pipe.variables.emplace_back(consume_word());
      skip_blanks();
      if (!is_of_range || pipe.variables.size() == 2 || !consume(",")) break;
      skip_blanks();
    }
    if (!pipe.variables.empty() && consume(":=")) return Status::ok();
    if (!pipe.variables.empty() && peek() == '=') {
      ++at_;
      pipe.is_assignment = true;
      for (const std::string& name : pipe.variables) {
        if (Status s = check_variable(name); !s) return s;
      }
      return Status::ok();
    }
    pipe.variables.clear();
    at_ = begin;
    return Status::ok();
  }

  Status parse_command(TemplateCommand& command) {
    while (true) {
      TemplateOperand word;
      if (Status s = parse_operand(word); !s) return s;
      command.words.push_back(std::move(word));
      const size_t before = at_;
      skip_blanks();
      if (is_at_end()) return fault("unclosed action");
      if (starts_with("}}") || starts_with("-}}") || peek() == '|' || peek() == ')') return Status::ok();
      if (before == at_) return fault("unexpected " + promql::quoted_text(text_.substr(at_, 1)));
    }
  }

  Status parse_operand(TemplateOperand& operand) {
    using Kind = TemplateOperand::Kind;
    const char c = peek();
    if (c == '(') {
      if (++depth_ > kTemplateDepthMax) return fault("parentheses are nested too deeply");
      ++at_;
      operand.kind = Kind::kPipe;
      if (Status s = parse_pipe(operand.pipe, false); !s) return s;
      skip_blanks();
      if (!consume(")")) return fault("unclosed left parenthesis");
      --depth_;
      return parse_fields(operand);
    }
    if (c == '$') {
      ++at_;
      operand.kind = Kind::kVariable;
      operand.name = consume_word();
      if (Status s = check_variable(operand.name); !s) return s;
      return parse_fields(operand);
    }
    if (c == '.' && !(at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      operand.kind = Kind::kDot;
      if (at_ + 1 < text_.size() && is_word_start(text_[at_ + 1])) return parse_fields(operand);
      ++at_;
      return Status::ok();
    }
    if (is_word_start(c)) return parse_name(operand);
    operand.kind = Kind::kLiteral;
    if (c == '"' || c == '`') return parse_text(operand);
    return parse_number(operand);
  }

  Status parse_fields(TemplateOperand& operand) {
    while (peek() == '.') {
      ++at_;
      const std::string_view field = consume_word();
      if (field.empty()) return fault("a field has no name");
      operand.fields.emplace_back(field);
    }
    return Status::ok();
  }

  Status parse_name(TemplateOperand& operand) {
    const std::string_view word = consume_word();
    operand.kind = TemplateOperand::Kind::kLiteral;
    if (word == "true" || word == "false") {
      operand.literal = word == "true";
      return Status::ok();
    }
    if (word == "nil") return Status::ok();
    if (!is_template_function(word))
      return fault("function " + promql::quoted_text(word) + " is not defined");
    operand.kind = TemplateOperand::Kind::kFunction;
    operand.name = word;
    return Status::ok();
  }

  Status parse_text(TemplateOperand& operand) {
    auto text = consume_go_string(text_, at_);
    if (!text) return fault(text.error().message);
    operand.literal = *std::move(text);
    return Status::ok();
  }

  Status parse_number(TemplateOperand& operand) {
    const size_t end = std::min(text_.find_first_of(" \t\r\n|)}", at_), text_.size());
    std::string_view word = text_.substr(at_, end - at_);
    if (word.starts_with('+')) word.remove_prefix(1);
    int64_t integer = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), integer);
    if (error == std::errc() && rest == word.data() + word.size()) {
      operand.literal = integer;
    } else {
      const Result<double> number = promql::parse_number(word);
      if (!number || word.empty())
        return fault("unexpected " + promql::quoted_text(text_.substr(at_, end - at_)));
      operand.literal = *number;
    }
    at_ = end;
    return Status::ok();
  }

  Status check_variable(std::string_view name) const {
    if (std::ranges::find(variables_, name) != variables_.end()) return Status::ok();
    return fault("undefined variable " + promql::quoted_text("$" + std::string(name)));
  }

  const std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool trims_next_ = false;
  std::vector<std::string> variables_ = {"", "labels", "externalLabels", "externalURL", "value"};
};

}  // namespace

Result<TemplateTree> parse_template(std::string_view text) {
  if (text.size() > kTemplateBytesMax)
    return Error{ErrorCode::kInvalid,
                 "a template is longer than " + std::to_string(kTemplateBytesMax) + " bytes"};
  return Parser(text).parse();
}

}  // namespace statmill::rules
