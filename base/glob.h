// Glob: matches names against a pattern.
//
// `*` matches any bytes, including dots; `?` one byte except a dot; `[abc]` and `[a-z]` one byte of a set;
// `[!a]` one byte outside a set; `{one,two}` either text (no nesting). Every other byte matches itself. The
// cost of a match is at most O(pattern x name).
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// The part of a pattern between two stars. It is a sequence of units (a byte, `?` or a set) that match one
// byte each, so all texts that it matches have the same size.
class GlobSegment {
 public:
  // Requires: `units` has no star outside of sets, and every set is closed.
  explicit GlobSegment(std::string units = {});
  // The size of the texts that it matches.
  size_t size() const { return sets_.empty() ? units_.size() : sets_.size(); }
  bool matches(std::string_view text) const {
    return text.size() == size() && (sets_.empty() ? text == units_ : are_in_sets(text));
  }
  // Returns the first position in `text` where it matches, or npos.
  size_t find(std::string_view text) const;
  const std::string& units() const { return units_; }

 private:
  bool are_in_sets(std::string_view text) const;

  std::string units_;                   // as in the pattern
  std::vector<std::bitset<256>> sets_;  // what each unit matches; empty if all units are plain bytes
};

// A text that every matching name contains.
struct GlobLiteral {
  std::string text;  // empty if the pattern requires none
  bool at_start = false;
  bool at_end = false;
};

// A pattern without braces; a glob is one or more of them. Immutable; thread-safe.
class GlobAlternative {
 public:
  // Requires: every set in `pattern` is closed.
  explicit GlobAlternative(std::string_view pattern);

  bool matches(std::string_view name) const;
  // Returns the longest run of plain bytes in the pattern. A run at the start or the end of the name counts
  // as one byte longer for each; among equals the first wins.
  GlobLiteral literal() const;

 private:
  bool has_star_ = false;
  GlobSegment head_;  // the whole pattern if it has no star
  std::vector<GlobSegment> middle_;
  GlobSegment tail_;
  size_t size_min_ = 0;  // the size of the shortest name that matches
};

// A parsed pattern. Immutable; thread-safe.
class Glob {
 public:
  static constexpr size_t kPatternBytesMax = 1024;
  static constexpr size_t kAlternativesMax = 64;  // after all braces are expanded

  // Errors: kInvalid (empty pattern, unbalanced or nested braces, a set without its end), kLimit.
  static Result<Glob> parse(std::string_view pattern);
  // Returns true if the text contains a special byte, so that it is more than a plain name.
  static bool is_pattern(std::string_view text);

  bool matches(std::string_view name) const;
  const std::string& text() const { return text_; }
  // At least one. A name matches the glob if it matches any of them.
  std::span<const GlobAlternative> alternatives() const { return alternatives_; }

 private:
  std::string text_;
  std::vector<GlobAlternative> alternatives_;
};

}  // namespace statmill
