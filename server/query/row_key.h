// RowKey: which row of a table a series belongs to: the one of a tag's value, or of a part of its path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// Immutable, so thread-safe.
class RowKey {
 public:
  // Parses `tag:host`, or a glob of paths with one star, which stands for any text in one part:
  // `shop.web*.queue`. Errors: kInvalid.
  static Result<RowKey> parse(std::string_view text);

  // Returns the value of the tag, without escapes, or the part of the path with the star. nullopt: the series
  // belongs to no row, because it lacks the tag, or its path does not begin with such parts.
  std::optional<std::string> row_of(std::string_view name) const;

 private:
  RowKey() = default;

  std::string tag_;                 // empty: by path
  std::vector<std::string> parts_;  // of the glob
  size_t star_part_ = 0;            // the one with the star
  std::string before_star_;         // texts in that part
  std::string after_star_;
};

}  // namespace statmill
