#include "server/names/name_labels.h"

#include "base/text.h"
#include "proto/prometheus/labels_name.h"

namespace statmill {

std::optional<size_t> part_number(std::string_view label) {
  const bool has_form = label.size() == 8 && label.starts_with("__n") && label.ends_with("__");
  const auto number = has_form ? parse_integer(label.substr(3, 3), 0, 31) : Result<int64_t>(-1);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<size_t>(*number);
}

NameLabels labels_of_name(std::string_view name) { return labels_of(name); }

std::string name_of_labels(const NameLabels& labels) {
  auto name = canonical_name(labels);
  return name ? *std::move(name) : std::string();
}

}  // namespace statmill
