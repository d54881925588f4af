// Text from strangers, as it may be shown on a terminal or written to a log: names, hosts, refused lines and
// messages may have escape sequences, or characters that move or hide others.
#pragma once

#include <string>
#include <string_view>

namespace statmill {

// Returns the text with each character that would not fill a column (control, directional and zero-width
// ones, combining marks) as <U+202E>, and each byte that is not UTF-8 as <xNN>.
std::string visible(std::string_view text);

// Returns the same, but with each LF as it is: for text of several lines.
std::string visible_lines(std::string_view text);

}  // namespace statmill
