#include "server/graphite/find_query.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "proto/canonical_name.h"

namespace statmill::graphite {
namespace {

// What a completer means by a query: `a..b` has `a*.b`, and more may follow. `has_variants`: a part `a,b` is
// `{a,b}`.
std::string completed(std::string_view query, bool has_variants) {
  std::string text;
  for (size_t i = 0; i < query.size(); ++i) {
    const bool is_doubled = query.substr(i).starts_with("..");
    text += is_doubled ? "*." : query.substr(i, 1);
    if (is_doubled) ++i;
  }
  if (!text.ends_with('*')) text += '*';
  if (!has_variants) return text;
  std::string out;
  for (const std::string_view part : split(text, '.')) {
    const bool is_list = part.find(',') != part.npos && part.find('{') == part.npos;
    out.append(out.empty() ? "" : ".").append(is_list ? "{" : "").append(part).append(is_list ? "}" : "");
  }
  return out;
}

Result<FindQuery::Format> parse_format(const Url& url) {
  const std::string_view text = url.find("format").value_or("treejson");
  if (text == "treejson") return FindQuery::Format::kTreeJson;
  if (text == "completer") return FindQuery::Format::kCompleter;
  return Error{ErrorCode::kInvalid, "parameter format: it is treejson or completer"};
}

}  // namespace

Result<int64_t> parse_whole_number(const Url& url, std::string_view name, int64_t otherwise) {
  const auto text = url.find(name);
  if (!text) return otherwise;
  const auto number =
      parse_integer(*text, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  if (!number) return Error(number.error()).with("parameter " + std::string(name));
  return *number;
}

Status check_no_jsonp(const Url& url) {
  if (!url.find("jsonp")) return Status::ok();
  return Error{ErrorCode::kInvalid, "parameter jsonp: answers are JSON only"};
}

std::string find_pattern(std::string_view query) { return with_blanks_escaped(query); }

bool has_whole_parts(std::string_view pattern) {
  return !pattern.empty() && !pattern.starts_with('.') && !pattern.ends_with('.') &&
         pattern.find("..") == std::string_view::npos;
}

Result<FindQuery> parse_find_query(const Url& url) {
  if (Status s = check_no_jsonp(url); !s) return s.error();
  const auto query = url.find("query");
  if (!query) return Error{ErrorCode::kInvalid, "parameter query is missing"};
  if (query->empty()) return Error{ErrorCode::kInvalid, "parameter query is empty"};
  FindQuery out;
  const auto format = parse_format(url);
  if (!format) return format.error();
  out.format = *format;
  const auto wildcards = parse_whole_number(url, "wildcards", 0);
  if (!wildcards) return wildcards.error();
  out.has_wildcard_node = *wildcards != 0;
  const auto leaves_only = parse_whole_number(url, "leavesOnly", 0);
  if (!leaves_only) return leaves_only.error();
  out.leaves_only = *leaves_only != 0;
  const auto variants = parse_whole_number(url, "automatic_variants", 0);
  if (!variants) return variants.error();
  out.base_path = query->substr(0, query->rfind('.') + 1);
  const bool completes = out.format == FindQuery::Format::kCompleter;
  out.pattern = find_pattern(completes ? completed(*query, *variants != 0) : *query);
  return out;
}

Result<ExpandQuery> parse_expand_query(const Url& url) {
  if (Status s = check_no_jsonp(url); !s) return s.error();
  ExpandQuery out;
  const auto is_grouped = parse_whole_number(url, "groupByExpr", 0);
  if (!is_grouped) return is_grouped.error();
  out.is_grouped = *is_grouped != 0;
  const auto leaves_only = parse_whole_number(url, "leavesOnly", 0);
  if (!leaves_only) return leaves_only.error();
  out.leaves_only = *leaves_only != 0;
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "query") continue;
    if (std::ranges::find(out.queries, parameter.value) != out.queries.end()) continue;
    out.queries.push_back(parameter.value);
    if (out.queries.size() > kExpandQueriesMax) {
      return Error{ErrorCode::kLimit,
                   "parameter query: more than " + std::to_string(kExpandQueriesMax) + " of them"};
    }
  }
  return out;
}

}  // namespace statmill::graphite
