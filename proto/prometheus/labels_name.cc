#include "proto/prometheus/labels_name.h"

#include <algorithm>

#include "base/hidden_characters.h"
#include "proto/name_escapes.h"
#include "proto/sample.h"
#include "proto/tagged_name.h"

namespace statmill {

Result<std::string> canonical_name(std::span<const LabelPair> labels) {
  std::string path;
  LabelPairs tags;  // escaped
  for (const auto& [label, value] : labels) {
    if (label.empty()) return Error{ErrorCode::kInvalid, "a label without a name"};
    if (value.empty()) continue;
    if (has_hidden_character(label) || has_hidden_character(value))
      return Error{ErrorCode::kInvalid, "a label with a hidden character"};
    if (label != kNameLabel) {
      tags.push_back({escaped_key(label), escaped_value(value)});
    } else if (path.empty()) {
      path = escaped_path(value);
    } else {
      return Error{ErrorCode::kInvalid, "__name__ twice"};
    }
  }
  if (path.empty()) return Error{ErrorCode::kInvalid, "labels without __name__"};
  if (tags.size() > kTagsMax) return Error{ErrorCode::kLimit, "more than 64 labels"};
  std::sort(tags.begin(), tags.end());
  std::string name = std::move(path);
  for (size_t i = 0; i < tags.size(); ++i) {
    if (i > 0 && tags[i].first == tags[i - 1].first)
      return Error{ErrorCode::kInvalid, "label " + unescaped(tags[i].first) + " twice"};
    name.append(";").append(tags[i].first).append("=").append(tags[i].second);
  }
  if (name.size() > kNameBytesMax) return Error{ErrorCode::kLimit, "a name of more than 2048 bytes"};
  return name;
}

NameParts parts_of(std::string_view name) {
  NameParts parts;
  size_t at = name.find(';');
  parts.path = name.substr(0, at);
  constexpr size_t kTagsUsual = 16;  // more than most names have
  if (at < name.size()) parts.tags.reserve(kTagsUsual);
  while (at < name.size()) {
    const size_t end = std::min(name.find(';', at + 1), name.size());
    const std::string_view pair = name.substr(at + 1, end - at - 1);
    const size_t assign = pair.find('=');
    const std::string_view key = pair.substr(0, assign);
    const bool is_tag = assign != std::string_view::npos && !key.empty() && assign + 1 < pair.size() &&
                        (parts.tags.empty() || parts.tags.back().key < key) && parts.tags.size() < kTagsMax;
    if (!is_tag) return {name, {}};
    parts.tags.push_back({key, pair.substr(assign + 1)});
    at = end;
  }
  return parts;
}

LabelPairs labels_of(std::string_view name) {
  const NameParts parts = parts_of(name);
  LabelPairs labels;
  labels.reserve(parts.tags.size() + 1);
  labels.emplace_back(kNameLabel, unescaped(parts.path));
  for (const NameParts::Tag& tag : parts.tags) labels.emplace_back(unescaped(tag.key), unescaped(tag.value));
  const auto is_before = [](const LabelPair& a, const LabelPair& b) { return a.first < b.first; };
  // `__name__` is before most keys, so few need the sort, which allocates.
  if (!std::is_sorted(labels.begin(), labels.end(), is_before))
    std::stable_sort(labels.begin(), labels.end(), is_before);
  const auto same = [](const LabelPair& a, const LabelPair& b) { return a.first == b.first; };
  labels.erase(std::unique(labels.begin(), labels.end(), same), labels.end());
  return labels;
}

}  // namespace statmill
