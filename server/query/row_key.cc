#include "server/query/row_key.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "server/names/name_labels.h"

namespace statmill {
namespace {

Error no_row_key(std::string_view what) { return {ErrorCode::kInvalid, std::string(what)}; }

}  // namespace

Result<RowKey> RowKey::parse(std::string_view text) {
  constexpr std::string_view kTag = "tag:";
  RowKey key;
  if (text.starts_with(kTag)) {
    key.tag_ = text.substr(kTag.size());
    if (key.tag_.empty()) return no_row_key("no name after \"tag:\"");
    return key;
  }
  if (std::ranges::count(text, '*') != 1 || text.find_first_of("?[]{};") != std::string_view::npos)
    return no_row_key("neither \"tag:NAME\" nor a path with one \"*\"");
  for (const std::string_view part : split(text, '.')) {
    if (part.empty()) return no_row_key("an empty part in a path");
    if (const size_t star = part.find('*'); star != std::string_view::npos) {
      key.star_part_ = key.parts_.size();
      key.before_star_ = part.substr(0, star);
      key.after_star_ = part.substr(star + 1);
    }
    key.parts_.emplace_back(part);
  }
  return key;
}

std::optional<std::string> RowKey::row_of(std::string_view name) const {
  if (!tag_.empty()) {
    std::string value = tag_of_name(name, tag_);
    return value.empty() ? std::nullopt : std::optional(std::move(value));
  }
  std::string_view path = name.substr(0, name.find(';'));
  std::string_view row;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i > 0 && path.empty()) return std::nullopt;
    const size_t end = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (i != star_part_) {
      if (part != parts_[i]) return std::nullopt;
      continue;
    }
    const bool fits = part.size() > before_star_.size() + after_star_.size() &&
                      part.starts_with(before_star_) && part.ends_with(after_star_);
    if (!fits) return std::nullopt;
    row = part;
  }
  return std::string(row);
}

}  // namespace statmill
