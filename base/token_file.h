// A token by which a peer is known: the first line of a file, on both sides.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kTokenBytesMin = 16;  // so long that nobody tries all
inline constexpr size_t kTokenBytesMax = 512;

// An empty path: no token, "". Errors: kInvalid (no such file, none of its lines a token), naming `setting`.
Result<std::string> read_token_file(std::string_view setting, const std::string& path);

}  // namespace statmill
