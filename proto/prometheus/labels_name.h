// Labels, as Prometheus writes them, <-> the canonical name under which a series is stored.
//
//   {__name__="metric", a="x", b="y"}  <->  metric;a=x;b=y
//
// A byte that a canonical name cannot have there is stored as %XX, two upper-case hex digits: a blank, a
// control byte, DEL and `;` anywhere; a `~` in front; `!`, `^` and `=` in a key; the first byte of the key
// `name`, which means the path; and every byte that is not part of UTF-8. A `%` is stored
// so only if two hex digits follow it. Reading a name back undoes %XX wherever two hex digits follow a `%`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace statmill {

inline constexpr std::string_view kNameLabel = "__name__";

using LabelPair = std::pair<std::string, std::string>;  // name, value
using LabelPairs = std::vector<LabelPair>;

// Returns the canonical name of labels in any order. A label with an empty value is left out: it means the
// same. Errors: kInvalid (no __name__, an empty label name, a label twice), kLimit (kTagsMax, kNameBytesMax).
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
// Cuts a name into its parts. A name whose tags are not canonical (istatd's dialect allows a `;` in names) is
// all path.
NameParts parts_of(std::string_view name);

// Returns the labels of a stored name, ascending by name, each name once. If two keys become the same label,
// the first counts; a tag __name__ does not hide the path.
LabelPairs labels_of(std::string_view name);

// The mapping of one text. unescaped(x) is what x was before it was escaped.
std::string escaped_path(std::string_view path);
std::string escaped_key(std::string_view key);
std::string escaped_value(std::string_view value);
bool has_escape(std::string_view text);
std::string unescaped(std::string_view text);

}  // namespace statmill
