// Entity tags: what If-None-Match and If-Match compare (RFC 9110 section 8.8.3).
#pragma once

#include <string_view>

namespace statmill {

// Returns true if the value of If-None-Match or If-Match, a list or `*`, has `etag`, which is as in the field
// ETag. Weak and strong tags are the same (weak comparison). A malformed list has nothing after the fault.
bool is_in_etags(std::string_view list, std::string_view etag);

}  // namespace statmill
