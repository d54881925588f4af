#include "server/promql/printer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "server/promql/binary_ops.h"
#include "server/promql/literals.h"

namespace statmill::promql {
namespace {

constexpr std::array<std::string_view, 4> kMatchOps = {"=", "!=", "=~", "!~"};

bool is_plain_label(std::string_view name) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_plain = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), is_plain);
}

void append_label(std::string& out, std::string_view name) {
  if (is_plain_label(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

// "(a, b)"
void append_labels(std::string& out, const std::vector<std::string>& labels) {
  out += '(';
  for (const std::string& label : labels) {
    if (&label != &labels.front()) out += ", ";
    append_label(out, label);
  }
  out += ')';
}

// Seconds with three decimals, from the integer: exact.
void append_timestamp(std::string& out, int64_t ms) {
  if (ms < 0) out += '-';
  const auto magnitude = static_cast<uint64_t>(ms < 0 ? -ms : ms);
  const std::string fraction = std::to_string(magnitude % 1000);
  out.append(std::to_string(magnitude / 1000)).append(1, '.');
  out.append(3 - fraction.size(), '0').append(fraction);
}

void append_shift(std::string& out, const TimeShift& shift) {
  if (shift.at == At::kTime) {
    out += " @ ";
    append_timestamp(out, shift.at_ms);
  } else if (shift.at != At::kEvaluation) {
    out += shift.at == At::kStart ? " @ start()" : " @ end()";
  }
  if (shift.offset == Duration(0)) return;
  const bool is_negative = shift.offset < Duration(0);
  out += is_negative ? " offset -" : " offset ";
  append_duration(out, is_negative ? -shift.offset : shift.offset);
}

void append_edges(std::string& out, Edges edges) {
  if (edges != Edges::kPlain) out += edges == Edges::kAnchored ? " anchored" : " smoothed";
}

// Name and matchers, without what follows them. The matchers are sorted by their text.
void append_selection(std::string& out, const Selector& selector) {
  out += selector.name;
  std::vector<std::string> texts;
  for (const Matcher& matcher : selector.matchers) {
    std::string& text = texts.emplace_back();
    append_label(text, matcher.label);
    text += kMatchOps[static_cast<size_t>(matcher.op)];
    append_quoted(text, matcher.value);
  }
  if (texts.empty()) return;
  std::sort(texts.begin(), texts.end());
  char separator = '{';
  for (const std::string& text : texts) {
    out += separator;
    out += text;
    separator = ',';
  }
  out += '}';
}

// "sum", "sum by (a) "
void append_aggregation_head(std::string& out, const Aggregation& aggregation) {
  out += aggregation.aggregator->name;
  if (!aggregation.is_without && aggregation.labels.empty()) return;
  out += aggregation.is_without ? " without " : " by ";
  append_labels(out, aggregation.labels);
  out += ' ';
}

// "+", "== bool on (a) group_left (b)"
void append_op(std::string& out, const Binary& binary) {
  out += op_text(binary.op);
  if (binary.returns_bool) out += " bool";
  if (!binary.matching) return;
  const Matching& matching = *binary.matching;
  const bool is_left = matching.cardinality == Cardinality::kManyToOne;
  const bool is_grouped = is_left || matching.cardinality == Cardinality::kOneToMany;
  if (matching.labels.empty() && !matching.is_on && !is_grouped) return;
  out += matching.is_on ? " on " : " ignoring ";
  append_labels(out, matching.labels);
  if (!is_grouped) return;
  out += is_left ? " group_left " : " group_right ";
  append_labels(out, matching.include);
}

// "[5m:1m] @ end() offset 1h"
void append_subquery_tail(std::string& out, const Subquery& subquery) {
  out += '[';
  append_duration(out, subquery.range);
  out += ':';
  if (subquery.step != Duration(0)) append_duration(out, subquery.step);
  out += ']';
  append_shift(out, subquery.shift);
}

// Prints a tree in one line, and remembers where each node is. Recursion is as deep as the tree, which the
// parser limits.
class LinePrinter {
 public:
  explicit LinePrinter(const SyntaxTree& tree) : tree_(tree), spans_(tree.nodes.size()) { print(tree.root); }

  const std::string& line() const { return out_; }
  std::string_view line_of(NodeIndex index) const {
    return std::string_view(out_).substr(spans_[index].begin, spans_[index].size);
  }

 private:
  struct Span {
    size_t begin = 0;
    size_t size = 0;
  };

  void print(NodeIndex index) {
    const size_t begin = out_.size();
    std::visit([this](const auto& expression) { print_expression(expression); }, tree_.at(index).expression);
    spans_[index] = {begin, out_.size() - begin};
  }

  void print_expression(const NumberLiteral& number) { append_float(out_, number.value); }
  void print_expression(const StringLiteral& string) { append_quoted(out_, string.value); }
  void print_expression(const Selector& selector) {
    append_selection(out_, selector);
    append_edges(out_, selector.edges);
    append_shift(out_, selector.shift);
  }
  void print_expression(const RangeSelector& range) {
    append_selection(out_, range.selector);
    out_ += '[';
    append_duration(out_, range.range);
    out_ += ']';
    append_edges(out_, range.selector.edges);
    append_shift(out_, range.selector.shift);
  }
  void print_expression(const Subquery& subquery) {
    print(subquery.expression);
    append_subquery_tail(out_, subquery);
  }
  void print_expression(const Unary& unary) {
    out_ += unary.is_minus ? '-' : '+';
    print(unary.operand);
  }
  void print_expression(const Parentheses& parentheses) {
    out_ += '(';
    print(parentheses.inner);
    out_ += ')';
  }
  void print_expression(const Call& call) {
    out_.append(call.function->name).append(1, '(');
    for (const NodeIndex& argument : call.arguments) {
      if (&argument != &call.arguments.front()) out_ += ", ";
      print(argument);
    }
    out_ += ')';
  }
  void print_expression(const Aggregation& aggregation) {
    append_aggregation_head(out_, aggregation);
    out_ += '(';
    if (aggregation.parameter != kNoNode) {
      print(aggregation.parameter);
      out_ += ", ";
    }
    print(aggregation.operand);
    out_ += ')';
  }
  void print_expression(const Binary& binary) {
    print(binary.left);
    // "+Inf ^ 2" is the sign of a power, so infinity has no sign there.
    const std::string_view left = line_of(binary.left);
    if (binary.op == BinaryOp::kPow && left == "+Inf") {
      out_.erase(spans_[binary.left].begin, 1);
      spans_[binary.left].size -= 1;
    }
    out_ += ' ';
    append_op(out_, binary);
    out_ += ' ';
    print(binary.right);
  }

  const SyntaxTree& tree_;
  std::vector<Span> spans_;
  std::string out_;
};

// Splits the nodes whose line is too long.
class LinesPrinter {
 public:
  explicit LinesPrinter(const SyntaxTree& tree) : tree_(tree), lines_(tree) { print(tree.root, 0); }

  std::string result() && { return std::move(out_); }

 private:
  void print(NodeIndex index, size_t level) {
    if (lines_.line_of(index).size() <= kLineBytesMax) {
      indent(level);
      out_ += lines_.line_of(index);
      return;
    }
    std::visit([&](const auto& expression) { split(expression, index, level); }, tree_.at(index).expression);
  }

  void indent(size_t level) { out_.append(2 * level, ' '); }

  // An expression without parts stays on one line.
  template <class Leaf>
  void split(const Leaf&, NodeIndex index, size_t level) {
    indent(level);
    out_ += lines_.line_of(index);
  }
  void split(const Subquery& subquery, NodeIndex, size_t level) {
    print(subquery.expression, level);
    append_subquery_tail(out_, subquery);
  }
  void split(const Unary& unary, NodeIndex, size_t level) {
    const size_t begin = out_.size();
    print(unary.operand, level);
    // The sign comes between the indentation and the operand.
    const size_t text = std::min(out_.find_first_not_of(' ', begin), out_.size());
    out_.erase(begin, text - begin);
    out_.insert(begin, std::string(2 * level, ' ') + (unary.is_minus ? '-' : '+'));
  }
  void split(const Parentheses& parentheses, NodeIndex, size_t level) {
    indent(level);
    out_ += "(\n";
    print(parentheses.inner, level + 1);
    close(level);
  }
  void split(const Call& call, NodeIndex, size_t level) {
    indent(level);
    out_.append(call.function->name).append("(\n");
    for (const NodeIndex& argument : call.arguments) {
      if (&argument != &call.arguments.front()) out_ += ",\n";
      print(argument, level + 1);
    }
    close(level);
  }
  void split(const Aggregation& aggregation, NodeIndex, size_t level) {
    indent(level);
    append_aggregation_head(out_, aggregation);
    out_ += "(\n";
    if (aggregation.parameter != kNoNode) {
      print(aggregation.parameter, level + 1);
      out_ += ",\n";
    }
    print(aggregation.operand, level + 1);
    close(level);
  }
  void split(const Binary& binary, NodeIndex, size_t level) {
    print(binary.left, level + 1);
    out_ += '\n';
    indent(level);
    append_op(out_, binary);
    out_ += '\n';
    print(binary.right, level + 1);
  }

  void close(size_t level) {
    out_ += '\n';
    indent(level);
    out_ += ')';
  }

  const SyntaxTree& tree_;
  const LinePrinter lines_;
  std::string out_;
};

}  // namespace

std::string print_line(const SyntaxTree& tree) { return LinePrinter(tree).line(); }

std::string print_lines(const SyntaxTree& tree) { return LinesPrinter(tree).result(); }

}  // namespace statmill::promql
