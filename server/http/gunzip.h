// Decodes the body of a request that is compressed with gzip.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/http/http_message.h"

namespace statmill {

// Decodes a whole body in the format of gzip (RFC 1952), of one or several members. Errors: kInvalid if it is
// not in that format, or its end is missing; kLimit if it is over `bytes_max` when decoded. Needs at most
// twice `bytes_max` of memory, and a time that `bytes_max` bounds.
Result<std::string> gunzip(std::string_view body, size_t bytes_max);

// Returns the body of the request, decoded into `store` if it is compressed. An empty body is so, too, since
// influxdb-python says "gzip" where there is none. Errors: those of gunzip().
Result<std::string_view> decoded_body(const HttpRequest& request, size_t bytes_max, std::string& store);
// The status of such an error.
unsigned decoding_status(const Error& error);

}  // namespace statmill
