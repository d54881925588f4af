// Writes samples as lines of the line protocol. istatd/parser.h reads exactly the same samples from them.
#pragma once

#include <string>
#include <string_view>

#include "proto/sample.h"

namespace statmill {

// Appends a line for the sample, LF included: an ordinary line if that loses nothing, else an exact line
// (exact_line.h). Requires: the sample has a time and a canonical name.
void append_line(std::string& out, const Sample& sample);

// Appends the number so that parsing returns the same number; a double that a decimal
// expresses exactly is read back as that decimal.
void append_number(std::string& out, const Number& number);

// Returns true if an ordinary line stores the name unchanged.
bool is_plain_line_name(std::string_view name);

}  // namespace statmill
