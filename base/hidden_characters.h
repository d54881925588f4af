// Hidden characters: those that a reader does not see, or that change how the text around them is shown. Two
// names that differ only in them look the same, so no name may contain one.
#pragma once

#include <cstdint>
#include <string_view>

namespace statmill {

// Returns the code point of one valid sequence of UTF-8.
uint32_t code_point_of(std::string_view sequence);

// Returns true for C1 controls (U+0080 to U+009F), the separators of lines and paragraphs (U+2028, U+2029),
// and all characters of Unicode's category Cf: zero-width joiners, bidirectional controls, the byte order
// mark, the soft hyphen, tags.
bool is_hidden_character(uint32_t code_point);

// Returns true if the text contains a hidden character. Bytes that are not UTF-8 contain none.
bool has_hidden_character(std::string_view text);

}  // namespace statmill
