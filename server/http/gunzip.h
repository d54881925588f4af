// Decodes the body of a request that is compressed with gzip.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Decodes a whole body in the format of gzip (RFC 1952), of one or several members. Errors: kInvalid if it is
// not in that format, or its end is missing; kLimit if it is over `bytes_max` when decoded. Needs at most
// twice `bytes_max` of memory, and a time that `bytes_max` bounds.
Result<std::string> gunzip(std::string_view body, size_t bytes_max);

}  // namespace statmill
