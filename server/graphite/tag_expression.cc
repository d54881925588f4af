#include "server/graphite/tag_expression.h"

#include <algorithm>

#include "proto/prometheus/labels_name.h"
#include "server/names/value_test.h"

namespace statmill::graphite {
namespace {

using Op = LabelMatcher::Op;

constexpr std::string_view kNameTag = "name";

Error no_expression(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "tag expression \"" + std::string(text) + "\": " + std::string(why)};
}

bool accepts_empty(const LabelMatcher& matcher) {
  const auto test = ValueTest::parse(matcher);
  return test && test->accepts("");
}

}  // namespace

std::string_view tag_of_label(std::string_view label) { return label == kNameLabel ? kNameTag : label; }

std::string_view label_of_tag(std::string_view tag) { return tag == kNameTag ? kNameLabel : tag; }

Result<std::string> regex_of_beginning(std::string_view regex) {
  // Read alone first, so that no bracket of it closes the group around it.
  const auto alone = ValueTest::parse({Op::kMatches, "a tag", std::string(regex)});
  if (!alone) return alone.error();
  // Without an alternative or a flag no group is needed, and the index of names knows how to look for a
  // prefix.
  if (regex.find_first_of("|(\\") == std::string_view::npos) return std::string(regex) + ".*";
  return "(?:" + std::string(regex) + ").*";
}

std::string regex_of_prefix(std::string_view text) {
  constexpr std::string_view kSpecial = R"(\.+*?()|[]{}^$)";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + ".*";
}

Result<LabelMatcher> parse_tag_expression(std::string_view text) {
  const size_t tag_size = text.find_first_of(";!=");
  if (tag_size == 0 || tag_size == std::string_view::npos || text[tag_size] == ';')
    return no_expression(text, "it is not TAG=VALUE, TAG!=VALUE, TAG=~REGEX or TAG!=~REGEX");
  std::string_view rest = text.substr(tag_size);
  const bool is_negated = rest.front() == '!';
  if (is_negated) rest.remove_prefix(1);
  if (!rest.starts_with('=')) return no_expression(text, "a = must follow the !");
  rest.remove_prefix(1);
  const bool is_regex = rest.starts_with('~');
  if (is_regex) rest.remove_prefix(1);
  if (rest.find(';') != std::string_view::npos) return no_expression(text, "a value has no semicolon");
  LabelMatcher matcher{is_negated ? Op::kNotEqual : Op::kEqual,
                       std::string(label_of_tag(text.substr(0, tag_size))), std::string(rest)};
  if (!is_regex) return matcher;
  auto regex = regex_of_beginning(rest);
  if (!regex) return no_expression(text, regex.error().message);
  matcher.op = is_negated ? Op::kMatchesNot : Op::kMatches;
  matcher.value = *std::move(regex);
  return matcher;
}

Result<std::vector<LabelMatcher>> parse_tag_expressions(std::span<const std::string> texts) {
  if (texts.empty()) return Error{ErrorCode::kInvalid, "there is no tag expression"};
  if (texts.size() > kTagExpressionsMax)
    return Error{ErrorCode::kLimit, "more than " + std::to_string(kTagExpressionsMax) + " tag expressions"};
  std::vector<LabelMatcher> matchers;
  for (const std::string& text : texts) {
    auto matcher = parse_tag_expression(text);
    if (!matcher) return matcher.error();
    matchers.push_back(*std::move(matcher));
  }
  if (std::ranges::all_of(matchers, accepts_empty)) {
    return Error{ErrorCode::kInvalid,
                 "at least one tag expression must ask for a value that is not empty, such as name=~."};
  }
  return matchers;
}

}  // namespace statmill::graphite
