// Texts in quotes, as Go's source code has them (go.dev/ref/spec, "String literals").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill::rules {

// Decodes the text in "..." or `...` that begins at text[at], and sets `at` to the byte after it. Errors:
// kInvalid: no such text, an unknown escape. Requires: at < text.size().
Result<std::string> consume_go_string(std::string_view text, size_t& at);

}  // namespace statmill::rules
