// Samples as lines of the line protocol, from which istatd_lines reads the very same samples.
#pragma once

#include <string>
#include <string_view>

#include "proto/sample.h"

namespace statmill {

// Appends a line for the sample, LF included: in the words that people use where they say all of it, else as
// an exact line (exact_line.h). Requires: it has a time, and a canonical name.
void append_line(std::string& out, const Sample& sample);

// Appends a text that is read as the same number; of a double that is also a decimal, as the decimal.
void append_number(std::string& out, const Number& number);

// Whether a name that stands in a line without further words is stored as it is.
bool is_plain_line_name(std::string_view name);

}  // namespace statmill
