#include "server/promql/regex_syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "base/text.h"

namespace statmill::promql {
namespace {

constexpr int kRepeatMax = 1000;

// The state of a group while it is read. "Empty" means that a part can match the empty text.
struct Group {
  bool is_an_alternative_empty = false;
  bool is_sequence_empty = true;  // without the last item
  bool has_item = false;
  bool is_item_empty = true;
  bool is_item_repeated = false;

  bool is_alternative_empty() const { return is_sequence_empty && is_item_empty; }
  bool is_empty() const { return is_an_alternative_empty || is_alternative_empty(); }
};

class RegexScan {
 public:
  explicit RegexScan(std::string_view text) : text_(text) {}

  Result<bool> run() {
    while (at_ < text_.size() && !error_) step(text_[at_]);
    if (!error_ && groups_.size() > 1) fail("missing closing )", anchored());
    if (error_) return *error_;
    return groups_.front().is_empty();
  }

 private:
  void step(char c) {
    const size_t begin = at_++;
    switch (c) {
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '|':
        group().is_an_alternative_empty |= group().is_alternative_empty();
        return start_alternative();
      case '*':
      case '+':
      case '?':
        return repeat(begin, c != '+');
      case '{':
        return repeat_counted(begin);
      case '[':
        return skip_class(begin);
      case '\\':
        return skip_escape();
      case '^':
      case '$':
        return add_item(true);
      default:
        at_ = begin + utf8_length(text_.substr(begin));
        return at_ == begin ? fail("invalid UTF-8", text_) : add_item(false);
    }
  }

  void add_item(bool is_empty) {
    group().is_sequence_empty &= group().is_item_empty;
    group().has_item = true;
    group().is_item_empty = is_empty;
    group().is_item_repeated = false;
  }

  void start_alternative() {
    group().is_sequence_empty = group().is_item_empty = true;
    group().has_item = false;
  }

  void open_group() {
    if (text_.substr(at_).starts_with("?")) {
      const size_t begin = at_ - 1;
      ++at_;
      if (text_.substr(at_).starts_with("P<") || text_.substr(at_).starts_with("<")) {
        const size_t end = text_.find('>', at_);
        if (end == std::string_view::npos) return fail("invalid named capture", text_.substr(begin));
        at_ = end + 1;
      } else {
        at_ = std::min(text_.find_first_not_of("imsU-", at_), text_.size());
        const char end = at_ < text_.size() ? text_[at_] : '\0';
        if (end != ':' && end != ')') {
          return fail("invalid or unsupported Perl syntax", text_.substr(begin, at_ + 1 - begin));
        }
        ++at_;
        if (end == ')') return;  // flags only: not an item
      }
    }
    groups_.emplace_back();
  }

  void close_group() {
    if (groups_.size() == 1) return fail("unexpected )", anchored());
    const bool is_empty = group().is_empty();
    groups_.pop_back();
    add_item(is_empty);
  }

  void repeat(size_t begin, bool allows_none) {
    if (!group().has_item) {
      return fail("missing argument to repetition operator", text_.substr(begin, at_ - begin));
    }
    if (at_ < text_.size() && text_[at_] == '?') ++at_;  // prefers few
    if (group().is_item_repeated) {
      return fail("invalid nested repetition operator", text_.substr(begin - 1, at_ - begin + 1));
    }
    group().is_item_repeated = true;
    group().is_item_empty |= allows_none;
  }

  // {2}, {2,} or {2,3}; other braces are plain characters.
  void repeat_counted(size_t begin) {
    const size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) return add_item(false);
    const std::string_view inner = text_.substr(at_, end - at_);
    const size_t comma = std::min(inner.find(','), inner.size());
    const std::string_view least = inner.substr(0, comma);
    const std::string_view most = inner.substr(std::min(comma + 1, inner.size()));
    const bool are_digits = inner.find_first_not_of("0123456789,") == std::string_view::npos &&
                            most.find(',') == std::string_view::npos;
    if (least.empty() || !are_digits) return add_item(false);
    at_ = end + 1;
    const int lower = parse_as<int>(least).value_or(kRepeatMax + 1);
    const int upper = most.empty() ? lower : parse_as<int>(most).value_or(kRepeatMax + 1);
    if (lower > kRepeatMax || upper > kRepeatMax || upper < lower) {
      return fail("invalid repeat count", text_.substr(begin, at_ - begin));
    }
    repeat(begin, lower == 0);
  }

  void skip_class(size_t begin) {
    if (text_.substr(at_).starts_with("^")) ++at_;
    for (bool is_first = true; at_ < text_.size(); is_first = false) {
      const std::string_view rest = text_.substr(at_);
      if (rest.front() == ']' && !is_first) {
        ++at_;
        return add_item(false);
      }
      const size_t named_end = rest.starts_with("[:") ? rest.find(":]") : std::string_view::npos;
      if (named_end != std::string_view::npos) {
        at_ += named_end + 2;
      } else {
        at_ += rest.front() == '\\' ? 2 : std::max<size_t>(utf8_length(rest), 1);
      }
    }
    fail("missing closing ]", std::string(text_.substr(begin)) + ")$");
  }

  void skip_escape() {
    if (at_ >= text_.size()) return fail("trailing backslash at end of expression", "");
    const char letter = text_[at_++];
    const std::string_view rest = text_.substr(at_);
    if (letter == 'Q') {
      const size_t end = rest.find("\\E");
      for (size_t i = 0; i < std::min(end, rest.size()); ++i) add_item(false);
      at_ = end == std::string_view::npos ? text_.size() : at_ + end + 2;
      return;
    }
    if (letter == 'x' || letter == 'p' || letter == 'P') {
      const size_t brace = rest.starts_with('{') ? rest.find('}') + 1 : 0;
      at_ = std::min(text_.size(), at_ + (brace > 0 ? brace : letter == 'x' ? 2 : 1));
      return add_item(false);
    }
    const bool is_word = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    const bool is_digit = letter >= '0' && letter <= '9';
    const bool is_octal = letter == '0' || (letter < '8' && !rest.empty() && rest[0] >= '0' && rest[0] < '8');
    constexpr std::string_view kWords = "afnrtvdDsSwWCbBAz";
    const bool is_unknown = is_word ? kWords.find(letter) == std::string_view::npos : is_digit && !is_octal;
    if (is_unknown || static_cast<unsigned char>(letter) >= 0x80) {
      return fail("invalid escape sequence", text_.substr(at_ - 2, 2));
    }
    add_item(letter == 'A' || letter == 'z' || letter == 'B');
  }

  Group& group() { return groups_.back(); }
  std::string anchored() const { return "^(?:" + std::string(text_) + ")$"; }

  void fail(std::string_view what, std::string_view where) {
    error_ = Error{ErrorCode::kInvalid,
                   "error parsing regexp: " + std::string(what) + ": `" + std::string(where) + "`"};
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<Group> groups_ = std::vector<Group>(1);
  std::optional<Error> error_;
};

}  // namespace

Result<bool> matches_empty(std::string_view expression) { return RegexScan(expression).run(); }

}  // namespace statmill::promql
