// Glob: matches names against a pattern.
//
// `*` matches any bytes, including dots; `?` one byte except a dot; `[abc]` and `[a-z]` one byte of a set;
// `[!a]` one byte outside a set; `{one,two}` either text (no nesting). Every other byte matches itself. The
// cost of a match is bounded: Glob::matches().
#pragma once

#include <bitset>
#include <cstdint>
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
  // Returns the first position in `text` where it matches, or npos. Adds the steps that it took to `steps`: a
  // step compares up to 64 units. It takes at most 2 + size() / 64 steps per byte of text; of at most
  // kNaiveMax units that are not all plain, at most kNaiveMax.
  size_t find(std::string_view text, uint64_t& steps) const;
  const std::string& units() const { return units_; }
  // What each unit matches; empty if all units are plain bytes.
  std::span<const std::bitset<256>> sets() const { return sets_; }

 private:
  // Up to this many units, trying each position is cheaper than a table of 2 KiB for each 64 units.
  static constexpr size_t kNaiveMax = 8;
  bool are_in_sets(std::string_view text) const;
  size_t find_plain(std::string_view text, uint64_t& steps) const;
  size_t find_sets(std::string_view text, uint64_t& steps) const;

  std::string units_;  // as in the pattern
  std::vector<std::bitset<256>> sets_;
  // For each byte, the units that match it: bit i % 64 of word i / 64. Empty up to kNaiveMax units.
  std::vector<uint64_t> masks_;
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

  bool matches(std::string_view name) const {
    uint64_t steps = 0;
    return matches(name, steps);
  }
  // Adds the steps that it took to `steps`, see GlobSegment::find().
  bool matches(std::string_view name, uint64_t& steps) const;
  // The texts between the stars, in order: one if there is no star, else at least two, some of which may be
  // empty.
  std::vector<const GlobSegment*> segments() const;
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
  static constexpr size_t kAlternativesMax = 64;     // after all braces are expanded
  static constexpr size_t kExpandedBytesMax = 8192;  // in all alternatives together

  // Errors: kInvalid (empty pattern, unbalanced or nested braces, a set without its end), kLimit.
  static Result<Glob> parse(std::string_view pattern);
  // Returns true if the text contains a special byte, so that it is more than a plain name.
  static bool is_pattern(std::string_view text);

  // Cost: a few ns per byte of the name for usual patterns. For the worst patterns at most kStepsPerByteMax
  // steps per byte, a step being about 1 ns.
  bool matches(std::string_view name) const {
    uint64_t steps = 0;
    return matches(name, steps);
  }
  // Adds the steps that it took to `steps`.
  bool matches(std::string_view name, uint64_t& steps) const;
  static constexpr uint64_t kStepsPerByteMax = 9 * kAlternativesMax + kExpandedBytesMax / 64;
  const std::string& text() const { return text_; }
  // At least one. A name matches the glob if it matches any of them.
  std::span<const GlobAlternative> alternatives() const { return alternatives_; }

 private:
  std::string text_;
  std::vector<GlobAlternative> alternatives_;
};

}  // namespace statmill
