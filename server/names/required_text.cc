#include "server/names/required_text.h"

#include <algorithm>
#include <cstdint>

namespace statmill {
namespace {

constexpr size_t kUnknown = std::string_view::npos;

// Returns the end of the set that begins at `begin`, or kUnknown if it has classes of its own.
size_t end_of_set(std::string_view expression, size_t begin) {
  size_t at = begin + 1;
  if (at < expression.size() && expression[at] == '^') ++at;
  for (const size_t first = at; at < expression.size(); ++at) {
    if (expression[at] == '[') return kUnknown;
    if (expression[at] == '\\')
      ++at;
    else if (expression[at] == ']' && at > first)
      return at + 1;
  }
  return kUnknown;
}

// Returns the end of an escape that may match several texts, or kUnknown if it is none of the usual ones.
size_t end_of_class(std::string_view expression, size_t begin) {
  constexpr std::string_view kClasses = "dDsSwW";
  return kClasses.find(expression[begin + 1]) == kUnknown ? kUnknown : begin + 2;
}

bool is_punctuation(char c) {
  const bool is_word = ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || c == '_';
  return c > ' ' && c < 127 && !is_word;
}

// Returns the end of the repetition {n}, {n,} or {n,m} that begins at `begin`; kUnknown if the brace is a
// text.
size_t end_of_repetition(std::string_view expression, size_t begin) {
  const auto end_of_digits = [&](size_t at) {
    return std::min(expression.find_first_not_of("0123456789", at), expression.size());
  };
  size_t at = end_of_digits(begin + 1);
  if (at == begin + 1) return kUnknown;
  if (expression.substr(at, 1) == ",") at = end_of_digits(at + 1);
  return expression.substr(at, 1) == "}" ? at + 1 : kUnknown;
}

// The texts between what may differ.
class Runs {
 public:
  void add(char c) { run_ += c; }
  void drop_last() {
    if (!run_.empty()) run_.pop_back();
  }
  void end() {
    if (run_.size() >= longest_.size()) longest_ = run_;
    run_.clear();
  }
  const std::string& longest() const { return longest_; }

 private:
  std::string run_;
  std::string longest_;
};

}  // namespace

std::string required_text(std::string_view expression) {
  Runs runs;
  size_t depth = 0;
  for (size_t at = 0; at < expression.size();) {
    const char c = expression[at];
    if (c == '\\' && is_punctuation(expression[at + 1])) {
      if (depth == 0) runs.add(expression[at + 1]);
      at += 2;
      continue;
    }
    constexpr std::string_view kSpecial = "\\.+*?()|[]{}^$";
    if (kSpecial.find(c) == kUnknown && static_cast<uint8_t>(c) < 128) {
      if (depth == 0) runs.add(c);
      ++at;
      continue;
    }
    if (c == '|' && depth == 0) return {};
    // Only a group without flags leaves the rest as it is.
    if (c == '(' && expression.substr(at + 1, 1) == "?" && expression.substr(at + 2, 1) != ":") return {};
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '*' || c == '?' || c == '{') runs.drop_last();
    runs.end();
    if (c == '\\')
      at = end_of_class(expression, at);
    else if (c == '[')
      at = end_of_set(expression, at);
    else if (c == '{')
      at = end_of_repetition(expression, at);
    else
      ++at;
    if (at == kUnknown) return {};
  }
  runs.end();
  return runs.longest();
}

}  // namespace statmill
