#include "server/names/name_labels.h"

#include <algorithm>
#include <utility>

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

std::string tag_of_name(std::string_view name, std::string_view tag) {
  const size_t path_end = std::min(name.find(';'), name.size());
  std::string_view tags = name.substr(path_end);
  if (tags.find('%') != std::string_view::npos) {
    for (auto& [label, text] : labels_of_name(name)) {
      if (label == tag) return std::move(text);
    }
    return {};
  }
  while (!tags.empty()) {
    tags.remove_prefix(1);
    const size_t end = std::min(tags.find(';'), tags.size());
    const std::string_view one = tags.substr(0, end);
    if (one.size() > tag.size() && one[tag.size()] == '=' && one.starts_with(tag))
      return std::string(one.substr(tag.size() + 1));
    tags.remove_prefix(end);
  }
  return {};
}

std::string name_of_labels(const NameLabels& labels) {
  auto name = canonical_name(labels);
  return name ? *std::move(name) : std::string();
}

}  // namespace statmill
