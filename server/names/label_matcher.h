// LabelMatcher: a condition on one label of a series.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace statmill {

struct LabelMatcher {
  enum class Op : uint8_t { kEqual, kNotEqual, kMatches, kMatchesNot };
  Op op = Op::kEqual;
  // "__name__" is the path of the name. "__graphite__" with kEqual is a glob over the whole name. "__n000__"
  // to "__n031__" are the parts of the path. A label that a series does not have is empty.
  std::string label;
  std::string value;  // for kMatches and kMatchesNot a regular expression that matches the whole value
  friend auto operator<=>(const LabelMatcher&, const LabelMatcher&) = default;
};

}  // namespace statmill
