// The name of one series of a family: path;key=value;... in the canonical form, without the tags that all
// series of the host have.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "agent/catalogue/family.h"

namespace statmill {

// In the order of Family::tags. An empty one leaves out its tag.
using TagValues = std::initializer_list<std::string_view>;

// Appends ";key=value", the value escaped. `key` is plain.
void append_tag(std::string& out, std::string_view key, std::string_view value);
// Appends the name of the series. Requires: as many values as the family has tags.
void append_series_name(std::string& out, const Family& family, TagValues values);

}  // namespace statmill
