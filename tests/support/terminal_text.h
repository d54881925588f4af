// Texts with what a terminal would obey, and a check that the output of a program has none of it.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace statmill {

// A name, host or message that clears the screen, sets the title, rings, and writes from right to left.
inline constexpr std::string_view kHostileText = "a\x1b[31m\x1b]0;x\x07\x7f\u009b2J\u0085\u202eZ\r\xff";

// Returns the first control byte (C0 without LF, DEL, C1 in UTF-8) and what is around it; empty if there is
// none.
inline std::string control_byte_in(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    const bool is_c1 = byte == 0xc2 && 0x80 <= next && next < 0xa0;
    if ((byte >= 0x20 || byte == '\n') && byte != 0x7f && !is_c1) continue;
    const size_t from = i < 40 ? 0 : i - 40;
    return visible_text(text.substr(from, i + 20 - from));
  }
  return {};
}

}  // namespace statmill
