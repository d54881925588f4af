#include "server/names/value_test.h"

#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "server/names/required_text.h"

namespace statmill {
namespace {

constexpr std::string_view kSpecial = R"(\.+*?()|[]{}^$)";

// Returns the text that an expression of plain characters and escaped punctuation matches, or nullopt.
std::optional<std::string> literal_of(std::string_view expression) {
  std::string text;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\') {
      // Other escapes are classes, codes or assertions.
      if (++i == expression.size() || kSpecial.find(expression[i]) == std::string_view::npos)
        return std::nullopt;
    } else if (kSpecial.find(expression[i]) != std::string_view::npos) {
      return std::nullopt;
    }
    text += expression[i];
  }
  return text;
}

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes a `.*` at the end that is not `\.*`.
bool remove_star_at_end(std::string_view& text) {
  if (!text.ends_with(".*")) return false;
  const size_t end = text.size() - 2;
  const size_t last_other = text.substr(0, end).find_last_not_of('\\');
  const size_t slashes = last_other == std::string_view::npos ? end : end - last_other - 1;
  if (slashes % 2 == 1) return false;
  text.remove_suffix(2);
  return true;
}

}  // namespace

ValueTest::ValueTest() = default;
ValueTest::ValueTest(ValueTest&&) noexcept = default;
ValueTest& ValueTest::operator=(ValueTest&&) noexcept = default;
ValueTest::~ValueTest() = default;

Result<ValueTest> ValueTest::parse(const LabelMatcher& matcher) {
  using Op = LabelMatcher::Op;
  ValueTest test;
  test.is_negated_ = matcher.op == Op::kNotEqual || matcher.op == Op::kMatchesNot;
  if (matcher.op == Op::kEqual || matcher.op == Op::kNotEqual) {
    test.texts_ = {matcher.value};
    return test;
  }
  // Read by RE2 in every case, so that what it refuses is refused.
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_never_capture(true);
  test.regex_ = std::make_unique<re2::RE2>(matcher.value, options);
  const std::string where = "regular expression of " + matcher.label + ": ";
  if (!test.regex_->ok()) return Error{ErrorCode::kInvalid, where + test.regex_->error()};
  if (test.regex_->ProgramSize() > kInstructionsMax)
    return Error{ErrorCode::kInvalid, where + "it needs more than 64 KiB"};
  if (test.read_simple(matcher.value)) {
    test.regex_.reset();
  } else {
    test.form_ = Form::kRegex;
    test.work_per_byte_ = static_cast<size_t>(test.regex_->ProgramSize());
    test.texts_ = {required_text(matcher.value)};
  }
  return test;
}

// Returns true if the expression has one of the forms that need no RE2.
bool ValueTest::read_simple(std::string_view expression) {
  if (expression == ".+") {
    form_ = Form::kNotEmpty;
    return true;
  }
  if (read_set(expression)) return true;
  const bool is_open_begin = remove_prefix(expression, ".*");
  const bool is_open_end = remove_star_at_end(expression);
  if (!is_open_begin && !is_open_end) return false;
  auto literal = literal_of(expression);
  if (!literal) return false;
  if (literal->empty()) {
    form_ = Form::kAll;
  } else if (is_open_begin && is_open_end) {
    form_ = Form::kContains;
  } else {
    form_ = is_open_begin ? Form::kSuffix : Form::kPrefix;
  }
  texts_ = {std::move(*literal)};
  return true;
}

// Reads `a|b|c`, also in one pair of brackets.
bool ValueTest::read_set(std::string_view expression) {
  if (expression.size() >= 2 && expression.front() == '(' && expression.back() == ')') {
    expression = expression.substr(1, expression.size() - 2);
    if (expression.ends_with('\\')) return false;
    remove_prefix(expression, "?:");
  }
  std::vector<std::string> texts;
  for (size_t begin = 0; begin <= expression.size();) {
    size_t end = begin;
    while (end < expression.size() && expression[end] != '|')
      end += expression[end] == '\\' ? size_t{2} : size_t{1};
    if (end > expression.size()) return false;
    auto literal = literal_of(expression.substr(begin, end - begin));
    if (!literal) return false;
    texts.push_back(std::move(*literal));
    begin = end + 1;
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  texts_ = std::move(texts);
  form_ = Form::kSet;
  return true;
}

std::optional<ValueTest::Literal> ValueTest::literal() const {
  if (texts_.size() != 1 || texts_[0].empty()) return std::nullopt;
  const bool is_whole = form_ == Form::kSet;
  return Literal{texts_[0], is_whole || form_ == Form::kPrefix, is_whole || form_ == Form::kSuffix};
}

bool ValueTest::matches(std::string_view value) const {
  switch (form_) {
    case Form::kSet:
      return texts_.size() == 1 ? value == texts_[0]
                                : std::binary_search(texts_.begin(), texts_.end(), value, std::less<>());
    case Form::kAll:
      return true;
    case Form::kNotEmpty:
      return !value.empty();
    case Form::kPrefix:
      return value.starts_with(texts_[0]);
    case Form::kSuffix:
      return value.ends_with(texts_[0]);
    case Form::kContains:
      return value.find(texts_[0]) != std::string_view::npos;
    case Form::kRegex:
      break;
  }
  return re2::RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *regex_);
}

}  // namespace statmill
