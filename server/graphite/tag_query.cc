#include "server/graphite/tag_query.h"

#include <limits>

#include "base/text.h"
#include "proto/batch.h"
#include "proto/graphite/fields.h"
#include "server/graphite/tag_expression.h"

namespace statmill::graphite {

std::vector<std::string> repeated_values(const Url& url, const std::string& name) {
  for (const std::string& spelling : {name, name + "[]"}) {
    std::vector<std::string> values;
    for (const Parameter& parameter : url.parameters) {
      if (parameter.name == spelling) values.push_back(parameter.value);
    }
    if (!values.empty()) return values;
  }
  return {};
}

Result<size_t> parse_tag_limit(const Url& url, size_t otherwise) {
  const auto text = url.find("limit");
  if (!text || text->empty()) return otherwise;
  const auto limit = parse_integer(*text, 0, std::numeric_limits<int64_t>::max());
  if (!limit) return Error(limit.error()).with("parameter limit");
  return static_cast<size_t>(*limit);
}

Result<std::optional<LabelMatcher>> parse_tag_filter(const Url& url, std::string_view label) {
  const auto text = url.find("filter");
  if (!text || text->empty()) return std::optional<LabelMatcher>();
  auto regex = regex_of_beginning(*text);
  if (!regex) return Error(regex.error()).with("parameter filter");
  return std::optional(LabelMatcher{LabelMatcher::Op::kMatches, std::string(label), *std::move(regex)});
}

Result<TagListQuery> parse_completion(const Url& url, std::string_view prefix_name) {
  TagListQuery out;
  if (const std::vector<std::string> texts = repeated_values(url, "expr"); !texts.empty()) {
    auto matchers = parse_tag_expressions(texts);
    if (!matchers) return Error(matchers.error()).with("parameter expr");
    out.matchers = *std::move(matchers);
  }
  const auto limit = parse_tag_limit(url, kTagsCompleted);
  if (!limit) return limit.error();
  out.limit = *limit;
  out.prefix = url.find(prefix_name).value_or("");
  return out;
}

Result<std::string> name_of_tagged_path(std::string_view path) {
  Batch batch;
  std::string_view name;
  if (path.empty() || read_graphite_name(path, batch, name).is_refused())
    return Error{ErrorCode::kInvalid, "no series can have the path \"" + std::string(path) + "\""};
  return std::string(name);
}

}  // namespace statmill::graphite
