// Glob: which names a pattern means.
//
// `*` any run of bytes (dots too), `?` any one byte but a dot, `[abc]` and `[a-z]` one byte of a set, `[!a]`
// one not of it, `{one,two}` either text (not nested); any other byte itself. Matching is O(pattern x name)
// at worst.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// Immutable after parse; thread-safe.
class Glob {
 public:
  static constexpr size_t kPatternBytesMax = 1024;
  static constexpr size_t kAlternativesMax = 64;  // texts after `{a,b}` are multiplied out

  static Result<Glob> parse(std::string_view pattern);
  // Whether the text contains any byte that makes it more than a plain name.
  static bool is_pattern(std::string_view text);

  bool matches(std::string_view name) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> alternatives_;  // patterns without braces; a name must match one
};

}  // namespace statmill
