// Tokens by which peers authenticate: each side reads it from the first line of a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kTokenBytesMin = 16;  // too many possibilities to try all
inline constexpr size_t kTokenBytesMax = 512;

// Returns an empty token if the path is empty. Errors: kInvalid, naming `setting`, if the file cannot be read
// or its first line is not a token.
Result<std::string> read_token_file(std::string_view setting, const std::string& path);

}  // namespace statmill
