// Graphite's expressions over tags: `tag=value`, `tag!=value`, `tag=~regex` and `tag!=~regex`, of
// seriesByTag() and of the routes below /tags. `name` is the path of a series, also of one without tags.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"

namespace statmill::graphite {

inline constexpr size_t kTagExpressionsMax = 64;

// Return Graphite's word for a label, and the label that it means: "name" and "__name__", and others as they
// are.
std::string_view tag_of_label(std::string_view label);
std::string_view label_of_tag(std::string_view tag);

// Returns a regular expression that matches a whole text if this one, which is RE2's, matches its beginning:
// Graphite anchors expressions only there. Errors: kInvalid.
Result<std::string> regex_of_beginning(std::string_view regex);
// Returns one that matches the texts which begin with this text.
std::string regex_of_prefix(std::string_view text);

// Errors: kInvalid.
Result<LabelMatcher> parse_tag_expression(std::string_view text);
// Parses some that a series must satisfy together. An absent tag is the empty value. Errors: kInvalid; also
// if there are none, or if each of them accepts the empty value, as in Graphite; kLimit (kTagExpressionsMax).
Result<std::vector<LabelMatcher>> parse_tag_expressions(std::span<const std::string> texts);

}  // namespace statmill::graphite
