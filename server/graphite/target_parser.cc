#include "server/graphite/target_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "server/graphite/target_words.h"

namespace statmill::graphite {
namespace {

using Kind = SyntaxTree::Kind;
using Node = SyntaxTree::Node;

// These end a path unless a backslash is before them.
constexpr std::string_view kSymbols = "(){},'\"|";

bool is_end_of_path(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 127 || kSymbols.find(c) != std::string_view::npos;
}

class TargetParser {
 public:
  TargetParser(std::string_view text, std::span<const TemplateValue> values) : text_(text), values_(values) {}

  Result<SyntaxTree> parse() {
    if (text_.size() > kTargetTextMax)
      return Error{ErrorCode::kInvalid,
                   "the target has more than " + std::to_string(kTargetTextMax) + " bytes"};
    const auto root = expression();
    if (!root) return root.error();
    skip_blanks();
    if (at_ < text_.size()) return error_at(at_, "expected the end of the target");
    tree_.root = *root;
    if (tree_.depth() > kTargetDepthMax) return error_at(0, "calls and pipes are too deep inside each other");
    return std::move(tree_);
  }

 private:
  Error error_at(size_t position, const std::string& what) const {
    return {ErrorCode::kInvalid, "at " + std::to_string(position + 1) + ": " + what};
  }
  size_t after_blanks(size_t at) const {
    return std::min(text_.find_first_not_of(" \t\n\r", at), text_.size());
  }
  void skip_blanks() { at_ = after_blanks(at_); }
  bool is_next(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool consume(char c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }
  Result<NodeId> add(Node node, size_t position) {
    if (tree_.nodes.size() == kTargetNodesMax)
      return error_at(position,
                      "the target has more than " + std::to_string(kTargetNodesMax) + " calls and values");
    node.position = position;
    tree_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree_.nodes.size() - 1);
  }

  // A path or a call, and the calls after pipes.
  Result<NodeId> expression() {
    auto left = path_or_call();
    while (left && consume('|')) left = piped(*left);
    return left;
  }

  Result<NodeId> piped(NodeId left) {
    skip_blanks();
    const size_t position = at_;
    const std::string name = word();
    if (name.empty() || !is_next('(')) return error_at(position, "expected a function after |");
    return call(name, position, left);
  }

  std::string word() {
    const size_t begin = at_;
    if (at_ < text_.size() && is_word_start(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<NodeId> path_or_call() {
    skip_blanks();
    const size_t position = at_;
    const std::string name = word();
    if (!name.empty() && is_next('(')) {
      return name == "template" ? template_call(position) : call(name, position, std::nullopt);
    }
    at_ = position;
    auto path = path_text();
    if (!path) return path.error();
    Node node;
    node.text = *std::move(path);
    return add(std::move(node), position);
  }

  // Backslashes stay, since a star after one is a byte like any other.
  Result<std::string> path_text() {
    const size_t begin = at_;
    constexpr size_t kNone = std::string_view::npos;
    size_t brace = kNone;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        if (at_ + 1 == text_.size()) return error_at(at_, "nothing follows the backslash");
        ++at_;
      } else if (c == '{' && brace == kNone) {
        brace = at_;
      } else if (c == '}' && brace != kNone) {
        brace = kNone;
      } else if (c == '.' && brace != kNone) {
        return error_at(at_, "no dot may be in braces");
      } else if (is_end_of_path(c) && !(c == ',' && brace != kNone)) {
        break;
      }
    }
    if (brace != kNone) return error_at(brace, "the brace has no end");
    if (at_ > begin) return std::string(text_.substr(begin, at_ - begin));
    const std::string found = begin == text_.size() ? "" : ", not " + quoted(text_.substr(begin, 1));
    return error_at(begin, "expected a path or a function" + found);
  }

  static std::string quoted(std::string_view text) { return "'" + visible_text(text) + "'"; }

  // After the name; `first`: the argument from the left of a pipe.
  Result<NodeId> call(const std::string& name, size_t position, std::optional<NodeId> first) {
    ++at_;
    if (depth_ == kTargetDepthMax)
      return error_at(position,
                      "calls are more than " + std::to_string(kTargetDepthMax) + " deep inside each other");
    ++depth_;
    Node node;
    node.kind = Kind::kCall;
    node.text = name;
    if (first) node.arguments.push_back({{}, *first});
    if (!is_next(')')) {
      do {
        auto added = argument();
        if (!added) return added.error();
        if (added->name.empty() && !node.arguments.empty() && !node.arguments.back().name.empty())
          return error_at(tree_.at(added->value).position,
                          "an argument without a name follows one with a name");
        node.arguments.push_back(*std::move(added));
      } while (consume(','));
    }
    if (!consume(')')) return error_at(at_, "expected , or ) after an argument of " + name + "()");
    --depth_;
    if (name == "seriesByTag") node.raw = text_.substr(position, at_ - position);
    return add(std::move(node), position);
  }

  Result<SyntaxTree::Argument> argument() {
    skip_blanks();
    SyntaxTree::Argument out;
    const size_t begin = at_;
    out.name = word();
    if (out.name.empty() || !consume('=')) {
      out.name.clear();
      at_ = begin;
    }
    const auto value = argument_value();
    if (!value) return value.error();
    out.value = *value;
    return out;
  }

  Result<NodeId> argument_value() {
    skip_blanks();
    const size_t position = at_;
    if (is_next('"') || is_next('\'')) {
      auto text = text_literal();
      if (!text) return text.error();
      Node node;
      node.kind = Kind::kText;
      node.text = *std::move(text);
      return add(std::move(node), position);
    }
    size_t end = at_;
    while (end < text_.size() && !is_end_of_path(text_[end])) ++end;
    const size_t next = after_blanks(end);
    const bool is_alone = next == text_.size() || text_[next] == ',' || text_[next] == ')';
    if (is_alone && end > at_) {
      if (auto literal = literal_of(text_.substr(at_, end - at_))) {
        at_ = end;
        return add(*std::move(literal), position);
      }
    }
    return expression();
  }

  // As Graphite does it, backslashes stay in the text: they belong to the regular expressions in it.
  Result<std::string> text_literal() {
    const char quote = text_[at_];
    const size_t begin = at_ + 1;
    size_t end = begin;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? size_t{2} : size_t{1};
    if (end >= text_.size()) return error_at(at_, "the text has no end");
    at_ = end + 1;
    return std::string(text_.substr(begin, end - begin));
  }

  // template(expression, value, ..., name=value, ...).
  Result<NodeId> template_call(size_t position) {
    ++at_;
    if (depth_ == kTargetDepthMax) return error_at(position, "template() is too deep inside calls");
    ++depth_;
    const size_t first = tree_.nodes.size();
    const auto inner = path_or_call();
    if (!inner) return inner.error();
    const size_t end = tree_.nodes.size();
    std::vector<TemplateValue> values;
    while (consume(',')) {
      const auto value = argument();
      if (!value) return value.error();
      const Node& node = tree_.at(value->value);
      if (node.kind != Kind::kText && node.kind != Kind::kNumber)
        return error_at(node.position, "a value of template() is a number or a text in quotes");
      std::string name = value->name.empty() ? std::to_string(values.size() + 1) : value->name;
      values.emplace_back(std::move(name),
                          node.kind == Kind::kText ? node.text : text_of(tree_, value->value));
    }
    if (!consume(')')) return error_at(at_, "expected , or ) after a value of template()");
    --depth_;
    if (Status s = work(position, values_.size() * (values_.size() + values.size())); !s) return s.error();
    for (const TemplateValue& value : values_) set(values, value);
    for (size_t i = first; i < end; ++i) {
      if (Status s = replace(tree_.nodes[i], values); !s) return s.error();
    }
    return *inner;
  }

  // Counts what template() costs: each value is looked for in each path. To move bytes costs less than that.
  Status work(size_t position, size_t bytes) {
    constexpr size_t kWorkMax = size_t{4} << 20;  // some milliseconds
    template_work_ += bytes;
    if (template_work_ <= kWorkMax) return Status::ok();
    return error_at(position, "template() has too many values for so many paths");
  }

  static void set(std::vector<TemplateValue>& values, const TemplateValue& value) {
    const auto at = std::ranges::find(values, value.first, &TemplateValue::first);
    if (at == values.end()) return values.push_back(value);
    at->second = value.second;
  }

  // A path that is only $name becomes a number or a text; elsewhere the value is put into the path.
  Status replace(Node& node, std::span<const TemplateValue> values) {
    if (node.kind != Kind::kPath) return Status::ok();
    for (const auto& [name, value] : values) {
      if (Status s = work(node.position, 16 + name.size() + node.text.size()); !s) return s;
      const std::string variable = "$" + name;
      if (node.text == variable) {
        const size_t position = node.position;
        if (auto number = parsed_number(value)) {
          node = *std::move(number);
        } else {
          node.kind = Kind::kText;
          node.text = value;
        }
        node.position = position;
        return Status::ok();
      }
      for (size_t at = node.text.find(variable); at != std::string::npos;
           at = node.text.find(variable, at + value.size())) {
        node.text.replace(at, variable.size(), value);
        replaced_bytes_ += value.size();
        if (Status s = work(node.position, node.text.size() / 16); !s) return s;
        if (replaced_bytes_ > kTargetTextMax)
          return error_at(node.position, "the values of template() make the paths too long");
      }
    }
    return Status::ok();
  }

  const std::string_view text_;
  const std::span<const TemplateValue> values_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t replaced_bytes_ = 0;
  size_t template_work_ = 0;
  SyntaxTree tree_;
};

}  // namespace

Result<SyntaxTree> parse_target(std::string_view text, std::span<const TemplateValue> values) {
  return TargetParser(text, values).parse();
}

}  // namespace statmill::graphite
