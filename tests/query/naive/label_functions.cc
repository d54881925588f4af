#include <regex>

#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

using promql::Matcher;
using promql::MatchOp;

// $1, ${1} and $$ of the replacement. A name without braces is as long as possible, so $1x is ${1x}. A group
// that is not there is empty. Groups with names are not known.
std::string expanded(const std::string& text, const std::smatch& groups) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const bool is_braced = text[++i] == '{';
    if (is_braced) ++i;
    if (text[i] == '$') {
      out += '$';
      continue;
    }
    std::string name;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_'))
      name += text[i++];
    const bool is_number = name.find_first_not_of("0123456789") == std::string::npos && !name.empty();
    if (is_number && std::stoul(name) < groups.size()) out += groups[std::stoul(name)].str();
    if (!is_braced) --i;  // the closing brace is skipped, another character is not
  }
  return out;
}

bool matches(const Matcher& matcher, const std::string& value) {
  switch (matcher.op) {
    case MatchOp::kEqual:
      return value == matcher.value;
    case MatchOp::kNotEqual:
      return value != matcher.value;
    case MatchOp::kMatches:
      return std::regex_match(value, std::regex(matcher.value));
    case MatchOp::kNotMatches:
      return !std::regex_match(value, std::regex(matcher.value));
  }
  return false;
}

// label_replace(v, into, replacement, from, expression)
Vector replaced(const FunctionCall& call, const Vector& vector) {
  const std::regex expression(call.texts[3]);
  Vector out = vector;
  for (Element& element : out) {
    const std::string value = value_or_empty(element.labels, call.texts[2]);
    std::smatch groups;
    if (std::regex_match(value, groups, expression)) {
      set_label(element.labels, call.texts[0], expanded(call.texts[1], groups));
    }
  }
  return out;
}

// label_join(v, into, separator, from...)
Vector joined(const FunctionCall& call, const Vector& vector) {
  Vector out = vector;
  for (Element& element : out) {
    std::string text;
    for (size_t i = 2; i < call.texts.size(); ++i) {
      if (i > 2) text += call.texts[1];
      text += value_or_empty(element.labels, call.texts[i]);
    }
    set_label(element.labels, call.texts[0], text);
  }
  return out;
}

}  // namespace

Result<Vector> label_function(const FunctionCall& call, const Vector& vector) {
  return call.name == "label_replace" ? replaced(call, vector) : joined(call, vector);
}

bool matches(const promql::Selector& selector, const Labels& labels) {
  const std::string name_label(promql::kNameLabel);
  if (!selector.name.empty() && value_or_empty(labels, name_label) != selector.name) return false;
  for (const Matcher& matcher : selector.matchers) {
    if (!matches(matcher, value_or_empty(labels, matcher.label))) return false;
  }
  return true;
}

Labels labels_of_absent(const promql::Selector& selector) {
  Labels labels;
  std::map<std::string, int> times;
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.label == promql::kNameLabel) continue;
    ++times[matcher.label];
    if (matcher.op == MatchOp::kEqual && !matcher.value.empty()) labels[matcher.label] = matcher.value;
  }
  // A label that is said twice, or not by equality, is not known.
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.op != MatchOp::kEqual || times[matcher.label] > 1) labels.erase(matcher.label);
  }
  return labels;
}

}  // namespace statmill::naive
