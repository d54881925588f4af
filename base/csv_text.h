// The only writer of texts in CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace statmill {

// Appends a text as a field, in quotes if it has a comma, a quote or a line end. Any sender may name a series
// "=cmd|calc", and a spreadsheet computes a field that begins with = + - @ TAB or CR: such a text gets an
// apostrophe in front, which makes it a text there, and quotes. Numbers are appended without this.
void append_csv_text(std::string& out, std::string_view text);

}  // namespace statmill
