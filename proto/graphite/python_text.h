// The texts of pickles of protocol 0, as Python writes them between line ends.
#pragma once

#include <optional>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

// Undoes the escapes of a Python 2 string, as its source text has it without quotes: a\x41\n. Returns the
// text itself if it has none, else what `batch` keeps; nullopt if an escape is not valid.
std::optional<std::string_view> python2_string(std::string_view text, Batch& batch);

// Converts Latin-1 with \uXXXX and \UXXXXXXXX to UTF-8, in the same way.
std::optional<std::string_view> raw_unicode(std::string_view text, Batch& batch);

}  // namespace statmill
