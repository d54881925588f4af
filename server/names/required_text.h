// required_text(): a text that all values which match a regular expression contain.
//
// A search for the text is much cheaper than the expression, and leaves few values to try it on.
#pragma once

#include <string>
#include <string_view>

namespace statmill {

// Returns the longest such text that is plain to see, outside of brackets; empty if there is none. Among
// equals the last one: it is more often what tells values apart. Requires: RE2 accepts the expression.
std::string required_text(std::string_view expression);

}  // namespace statmill
