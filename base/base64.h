// Base64 with padding (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace statmill {

// Returns nullopt if the text has another byte, a wrong length, or set bits after the last whole byte.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace statmill
