#include "server/promql/tree_json.h"

#include <array>
#include <string_view>
#include <variant>

#include "server/json.h"
#include "server/promql/binary_ops.h"
#include "server/promql/literals.h"

namespace statmill::promql {
namespace {

constexpr std::array<std::string_view, 4> kMatchTypes = {"=", "!=", "=~", "!~"};
constexpr std::array<std::string_view, 4> kCardinalities = {"one-to-one", "many-to-one", "one-to-many",
                                                            "many-to-many"};

void write_bool(JsonObject& object, std::string_view name, bool value) {
  object.key(name) += value ? "true" : "false";
}

void write_ms(JsonObject& object, std::string_view name, Duration duration) {
  object.key(name) += std::to_string(duration.count());
}

void write_texts(JsonObject& object, std::string_view name, const std::vector<std::string>& texts) {
  JsonArray array(object.key(name));
  for (const std::string& text : texts) append_json_string(array.element(), text);
}

void write_shift(JsonObject& object, const TimeShift& shift) {
  write_ms(object, "offset", shift.offset);
  object.key("timestamp") += shift.at == At::kTime ? std::to_string(shift.at_ms) : "null";
  const bool is_edge = shift.at == At::kStart || shift.at == At::kEnd;
  object.key("startOrEnd") += !is_edge ? "null" : shift.at == At::kStart ? "\"start\"" : "\"end\"";
}

void write_matcher(std::string& out, const Matcher& matcher) {
  JsonObject object(out);
  object.text("name", matcher.label);
  object.text("value", matcher.value);
  object.text("type", kMatchTypes[static_cast<size_t>(matcher.op)]);
}

void write_selector(JsonObject& object, const Selector& selector) {
  object.text("name", selector.name);
  {
    JsonArray matchers(object.key("matchers"));
    for (const Matcher& matcher : selector.matchers) write_matcher(matchers.element(), matcher);
    if (!selector.name.empty()) {
      write_matcher(matchers.element(), {std::string(kNameLabel), MatchOp::kEqual, selector.name});
    }
  }
  write_shift(object, selector.shift);
  write_bool(object, "anchored", selector.edges == Edges::kAnchored);
  write_bool(object, "smoothed", selector.edges == Edges::kSmoothed);
}

void write_matching(std::string& out, const Matching& matching) {
  JsonObject object(out);
  object.text("card", kCardinalities[static_cast<size_t>(matching.cardinality)]);
  write_texts(object, "labels", matching.labels);
  write_bool(object, "on", matching.is_on);
  write_texts(object, "include", matching.include);
}

void write_function(std::string& out, const Function& function) {
  JsonObject object(out);
  object.text("name", function.name);
  {
    JsonArray types(object.key("argTypes"));
    for (size_t i = 0; i < function.argument_count(); ++i) {
      append_json_string(types.element(), short_name(function.argument_types[i]));
    }
  }
  object.key("variadic") += std::to_string(function.variadic);
  object.text("returnType", short_name(function.result));
}

// Recursion is as deep as the tree, which the parser limits.
class TreeWriter {
 public:
  TreeWriter(std::string& out, const SyntaxTree& tree) : out_(out), tree_(tree) {}

  void write(NodeIndex index) {
    JsonObject object(out_);
    std::visit([&](const auto& expression) { write_fields(object, expression); }, tree_.at(index).expression);
  }

 private:
  void write_child(JsonObject& object, std::string_view name, NodeIndex index) {
    object.key(name);
    if (index == kNoNode) {
      out_ += "null";
    } else {
      write(index);
    }
  }

  void write_fields(JsonObject& object, const NumberLiteral& number) {
    object.text("type", "numberLiteral");
    std::string text;
    append_plain_float(text, number.value);
    object.text("val", text);
  }
  void write_fields(JsonObject& object, const StringLiteral& string) {
    object.text("type", "stringLiteral");
    object.text("val", string.value);
  }
  void write_fields(JsonObject& object, const Selector& selector) {
    object.text("type", "vectorSelector");
    write_selector(object, selector);
  }
  void write_fields(JsonObject& object, const RangeSelector& range) {
    object.text("type", "matrixSelector");
    write_selector(object, range.selector);
    write_ms(object, "range", range.range);
  }
  void write_fields(JsonObject& object, const Subquery& subquery) {
    object.text("type", "subquery");
    write_child(object, "expr", subquery.expression);
    write_ms(object, "range", subquery.range);
    write_ms(object, "step", subquery.step);
    write_shift(object, subquery.shift);
  }
  void write_fields(JsonObject& object, const Unary& unary) {
    object.text("type", "unaryExpr");
    object.text("op", unary.is_minus ? "-" : "+");
    write_child(object, "expr", unary.operand);
  }
  void write_fields(JsonObject& object, const Parentheses& parentheses) {
    object.text("type", "parenExpr");
    write_child(object, "expr", parentheses.inner);
  }
  void write_fields(JsonObject& object, const Call& call) {
    object.text("type", "call");
    write_function(object.key("func"), *call.function);
    JsonArray arguments(object.key("args"));
    for (const NodeIndex argument : call.arguments) {
      arguments.element();
      write(argument);
    }
  }
  void write_fields(JsonObject& object, const Aggregation& aggregation) {
    object.text("type", "aggregation");
    object.text("op", aggregation.aggregator->name);
    write_child(object, "expr", aggregation.operand);
    write_child(object, "param", aggregation.parameter);
    write_texts(object, "grouping", aggregation.labels);
    write_bool(object, "without", aggregation.is_without);
  }
  void write_fields(JsonObject& object, const Binary& binary) {
    object.text("type", "binaryExpr");
    object.text("op", op_text(binary.op));
    write_child(object, "lhs", binary.left);
    write_child(object, "rhs", binary.right);
    object.key("matching");
    if (binary.matching) {
      write_matching(out_, *binary.matching);
    } else {
      out_ += "null";
    }
    write_bool(object, "bool", binary.returns_bool);
  }

  std::string& out_;
  const SyntaxTree& tree_;
};

}  // namespace

void append_tree_json(std::string& out, const SyntaxTree& tree) { TreeWriter(out, tree).write(tree.root); }

}  // namespace statmill::promql
