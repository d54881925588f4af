// TemplateValue: what an expression of a template has as its value.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace statmill::rules {

using LabelMap = std::map<std::string, std::string, std::less<>>;

// One element of the answer of a query.
struct TemplateSample {
  LabelMap labels;
  double value = 0;
  bool operator==(const TemplateSample&) const = default;
};

// The value of a dot: a field is Labels, ExternalLabels, ExternalURL or Value.
struct TemplateData {
  LabelMap labels;
  LabelMap external_labels;
  std::string external_url;
  double value = 0;
  bool operator==(const TemplateData&) const = default;
};

using TemplateValue = std::variant<std::monostate, bool, int64_t, double, std::string, LabelMap,
                                   TemplateSample, std::vector<TemplateSample>, TemplateData>;

// Go's rule: false for nothing, 0, an empty text and an empty list or map.
bool is_true(const TemplateValue& value);
// What Go's `%v` prints: 1e+06, +Inf, map[a:x b:y].
std::string text_of(const TemplateValue& value);
// "float64", "string": what Go calls the type, for errors.
std::string_view type_name(const TemplateValue& value);

}  // namespace statmill::rules
