// ValueTest: whether a value of a label satisfies a matcher.
//
// Sets of texts, prefixes, suffixes and `.*` are found in regular expressions and tested without RE2.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"

namespace re2 {
class RE2;
}

namespace statmill {

// Immutable; thread-safe.
class ValueTest {
 public:
  // The largest regular expression, in RE2's instructions of 16 bytes: 64 KiB. It matches a text of 2 KiB in
  // 30 ms at most.
  static constexpr int kInstructionsMax = 4096;

  // Errors: kInvalid (no regular expression, or one of more than kInstructionsMax).
  static Result<ValueTest> parse(const LabelMatcher& matcher);

  ValueTest(ValueTest&&) noexcept;
  ValueTest& operator=(ValueTest&&) noexcept;
  ~ValueTest();

  // Takes the value without escapes.
  bool accepts(std::string_view value) const { return matches(value) != is_negated_; }
  // Returns how much accepts() may cost, in units of 1 to 2 ns.
  size_t work_of(std::string_view value) const { return kWorkPerText + value.size() * work_per_byte_; }
  bool is_negated() const { return is_negated_; }
  bool accepts_all() const { return form_ == Form::kAll && !is_negated_; }
  // If is_set(), the texts that match, before negation. Each once.
  bool is_set() const { return form_ == Form::kSet; }
  std::span<const std::string> set() const { return texts_; }
  // What each value that matches, before negation, contains; nullopt: nothing is known.
  struct Literal {
    std::string text;
    bool at_start = false;
    bool at_end = false;
  };
  std::optional<Literal> literal() const;

 private:
  static constexpr size_t kWorkPerText = 64;

  enum class Form { kSet, kAll, kNotEmpty, kPrefix, kSuffix, kContains, kRegex };
  ValueTest();
  bool matches(std::string_view value) const;
  bool read_simple(std::string_view expression);
  bool read_set(std::string_view expression);

  Form form_ = Form::kSet;
  bool is_negated_ = false;
  // One text if it is no set; for kRegex it is required_text().
  std::vector<std::string> texts_;
  std::unique_ptr<re2::RE2> regex_;
  // RE2 looks at every instruction for every byte if the states of its automaton exceed its memory.
  size_t work_per_byte_ = 1;
};

}  // namespace statmill
