// Snappy's block format, which remote_write uses for its bodies: a varint of the decoded length, then the
// compressed bytes (github.com/google/snappy, format_description.txt). There is no frame around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Returns the decoded bytes. The length at the head of the block is compared with `limit` before memory is
// allocated for it, and with what a block of that size can become. Errors: kInvalid, kLimit.
Result<std::string> decode_snappy(std::string_view block, size_t limit);

}  // namespace statmill
