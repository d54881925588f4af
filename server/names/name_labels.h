// The labels of stored names, without their escapes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {

using NameLabels = std::vector<std::pair<std::string, std::string>>;  // label and value, ascending

// Returns n of `__n00n__`, the label of a part of the path; nullopt for other labels.
std::optional<size_t> part_number(std::string_view label);

// The path is `__name__`.
NameLabels labels_of_name(std::string_view name);
// The value of a tag, without escapes; empty if the name has none. `tag` is without escapes, too. Cost: a
// search of the name, if nothing is escaped.
std::string tag_of_name(std::string_view name, std::string_view tag);
// The inverse of labels_of_name(). Empty if no name can have these labels.
std::string name_of_labels(const NameLabels& labels);

}  // namespace statmill
