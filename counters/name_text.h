// The names of instruments as text: escapes of labels, and the spelling in lines.
//
// A byte that a tag cannot have is written as %XX, two upper-case hex digits. The server takes that for the
// byte at all of its ports.
#pragma once

#include <string>
#include <string_view>

namespace statmill {

enum class TagPart : unsigned char { kKey, kValue };

// Returns the text as it is written as the key or the value of a tag.
std::string tag_text(std::string_view text, TagPart part);

// Returns the text that was written so.
std::string text_of_tag(std::string_view written);

// Returns true if a line can contain the name as it is.
bool is_plain_in_lines(std::string_view name);

// Returns a spelling of the name that every port of the server stores as the same name: the line port would
// write capitals in lower case and other bytes as `_`, a caret would make several names of one, and the first
// byte could be a mark.
std::string name_in_lines(std::string_view name);

}  // namespace statmill
