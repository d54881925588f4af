// Labels, as Prometheus writes them, <-> the canonical name under which a series is stored.
//
//   {__name__="metric", a="x", b="y"}  <->  metric;a=x;b=y
//
// proto/name_escapes.h says how a label that a canonical name cannot have is stored.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "proto/label_view.h"

namespace statmill {

inline constexpr std::string_view kNameLabel = "__name__";

using LabelPair = std::pair<std::string, std::string>;  // name, value
using LabelPairs = std::vector<LabelPair>;

// Returns the canonical name of labels in any order. A label with an empty value is left out: it means the
// same. Errors: kInvalid (no __name__, an empty label name, a label twice, a hidden character), kLimit
// (kTagsMax, kNameBytesMax).
Result<std::string> canonical_name(std::span<const LabelPair> labels);

// The parts of a canonical name as they are stored; views into it.
struct NameParts {
  struct Tag {
    std::string_view key;
    std::string_view value;
  };
  std::string_view path;
  std::vector<Tag> tags;  // ascending by key
};
// Cuts a name into its parts. A name whose tags are not canonical is all path.
NameParts parts_of(std::string_view name);

// Returns the labels of a stored name, ascending by name, each name once. If two keys become the same label,
// the first counts; a tag __name__ does not hide the path.
LabelPairs labels_of(std::string_view name);

}  // namespace statmill
