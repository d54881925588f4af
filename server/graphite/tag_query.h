// The parameters of Graphite's routes below /tags.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/url.h"
#include "server/names/label_matcher.h"

namespace statmill::graphite {

inline constexpr size_t kTagsCompleted = 100;  // without `limit`, as in Graphite

// Returns the values of a parameter that may be written NAME or NAME[]; those of the latter only if there are
// none of the former.
std::vector<std::string> repeated_values(const Url& url, const std::string& name);

// A list of tags or values.
struct TagListQuery {
  std::vector<LabelMatcher> matchers;  // of the series whose tags are listed; none: all series
  std::string prefix;                  // of the tags or values that are listed
  size_t limit = SIZE_MAX;             // of these
};
// Parses `expr`, `limit`, and the prefix, which is the parameter `prefix_name`. Errors: kInvalid, kLimit.
Result<TagListQuery> parse_completion(const Url& url, std::string_view prefix_name);

// Parses `limit`; `otherwise` if there is none. Errors: kInvalid.
Result<size_t> parse_tag_limit(const Url& url, size_t otherwise);
// Parses `filter`, a regular expression over tags or values that must match their beginning; nullopt if there
// is none. Errors: kInvalid.
Result<std::optional<LabelMatcher>> parse_tag_filter(const Url& url, std::string_view label);

// Returns the name under which a series of a path with tags is stored, in any spelling that Graphite's
// senders use. Errors: kInvalid.
Result<std::string> name_of_tagged_path(std::string_view path);

}  // namespace statmill::graphite
