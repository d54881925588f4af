// The functions of templates: those of Go's text/template, and those that Prometheus adds.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/rules/template_value.h"

namespace statmill::rules {

// A text that a function makes is at most this long.
inline constexpr size_t kTemplateTextBytesMax = size_t{64} << 10;

// Evaluates a PromQL query at the time of the alert. Errors are those of the query.
using TemplateQuery = std::function<Result<std::vector<TemplateSample>>(std::string_view query)>;

struct TemplateServices {
  TemplateQuery query;
  std::string_view external_url;
};

bool is_template_function(std::string_view name);
// Errors: kInvalid: arguments that the function cannot have; those of a query. Cost: linear in the bytes of
// the arguments, but for queries.
Result<TemplateValue> call_template_function(std::string_view name, std::span<const TemplateValue> arguments,
                                             const TemplateServices& services);

}  // namespace statmill::rules
