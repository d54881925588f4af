// FindQuery: the parameters of Graphite's /metrics/find, and the pattern that they mean in the index of
// names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/url.h"

namespace statmill::graphite {

inline constexpr size_t kExpandQueriesMax = 100;

struct FindQuery {
  enum class Format : uint8_t { kTreeJson, kCompleter };

  std::string pattern;    // a glob for each part of a path
  std::string base_path;  // what `query` has before its last part, with the dot
  Format format = Format::kTreeJson;
  bool has_wildcard_node = false;  // the answer begins, or ends, with a node `*` if it has several
  bool leaves_only = false;
};

// Returns the pattern, as names are stored, of a query in Graphite's syntax. In addition to globs as they are
// elsewhere it may name a stored name with blanks.
std::string find_pattern(std::string_view query);
// Returns false if no path can match: a path has no empty parts.
bool has_whole_parts(std::string_view pattern);

// Errors: kInvalid. `from` and `until` are not read: Graphite does not leave out what is older either.
Result<FindQuery> parse_find_query(const Url& url);

struct ExpandQuery {
  std::vector<std::string> queries;  // as in the request, each once
  bool is_grouped = false;           // the answer has a list for each query
  bool leaves_only = false;
};
// Errors: kInvalid, kLimit (kExpandQueriesMax).
Result<ExpandQuery> parse_expand_query(const Url& url);

// Parses 0 or another whole number; `otherwise` if the parameter is missing. Errors: kInvalid.
Result<int64_t> parse_whole_number(const Url& url, std::string_view name, int64_t otherwise);
// Errors: kInvalid if the request wants a script in place of JSON: any page could run it.
Status check_no_jsonp(const Url& url);

}  // namespace statmill::graphite
