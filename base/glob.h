// Glob: which names a pattern means.
//
// `*` any run of bytes (dots too), `?` any one byte but a dot, `[abc]` and `[a-z]` one byte of a set, `[!a]`
// one not of it, `{one,two}` either text (not nested); any other byte itself. Matching is O(pattern x name)
// at worst.
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// What lies between two stars of a pattern: units of one byte each (a byte, `?` or a set), so every text that
// it matches has the same size.
class GlobSegment {
 public:
  // Requires: no star outside of sets, every set is closed.
  explicit GlobSegment(std::string units = {});

  size_t size() const {
    return sets_.empty() ? units_.size() : sets_.size();
  }  // of the texts that it matches
  bool matches(std::string_view text) const {
    return text.size() == size() && (sets_.empty() ? text == units_ : are_in_sets(text));
  }
  // The first place in `text` where it matches, or npos.
  size_t find(std::string_view text) const;
  const std::string& units() const { return units_; }

 private:
  bool are_in_sets(std::string_view text) const;

  std::string units_;                   // as written
  std::vector<std::bitset<256>> sets_;  // the bytes that each unit means; none when all mean themselves
};

// A text that a name must contain to match.
struct GlobLiteral {
  std::string text;  // empty: the pattern asks for none
  bool at_start = false;
  bool at_end = false;
};

// A pattern without braces: one of those that a glob stands for. Immutable; thread-safe.
class GlobAlternative {
 public:
  // Requires: every set is closed.
  explicit GlobAlternative(std::string_view pattern);

  bool matches(std::string_view name) const;
  // The longest run of plain bytes in the pattern, an end of the name counting as one more; the first of
  // equals.
  GlobLiteral literal() const;

 private:
  bool has_star_ = false;
  GlobSegment head_;  // without a star: all of it
  std::vector<GlobSegment> middle_;
  GlobSegment tail_;
  size_t size_min_ = 0;  // of the names that match
};

// Immutable after parse; thread-safe.
class Glob {
 public:
  static constexpr size_t kPatternBytesMax = 1024;
  static constexpr size_t kAlternativesMax = 64;  // texts after `{a,b}` are multiplied out

  static Result<Glob> parse(std::string_view pattern);
  // Whether the text contains any byte that makes it more than a plain name.
  static bool is_pattern(std::string_view text);

  bool matches(std::string_view name) const;
  const std::string& text() const { return text_; }
  // At least one; a name must match one of them.
  std::span<const GlobAlternative> alternatives() const { return alternatives_; }

 private:
  std::string text_;
  std::vector<GlobAlternative> alternatives_;
};

}  // namespace statmill
