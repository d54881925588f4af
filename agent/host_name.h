// The name of this host, and the tags that all series of the host have.
#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

using HostTags = std::map<std::string, std::string>;  // key -> value

// Returns the fully qualified name of this host in lower case: gethostname(), if that has a dot; otherwise
// the canonical name that getaddrinfo() finds for it, if that begins with it and a dot; otherwise
// gethostname(), or "unknown". A lookup that takes longer than `limit` is given up. Requires: this process
// has one thread, because the lookup runs in a child process.
std::string own_host_name(Duration limit);

// Parses "dc=eu,role=web". A key is of a-z 0-9 _, and not `host` or `name`; a value is not empty. Errors:
// kInvalid, kLimit (the tags would be too long for a batch).
Result<HostTags> parse_host_tags(const std::string& text);

// Returns "dc=eu;host=web1.example.org;role=web": ascending by key, the values escaped.
std::string host_tags(const std::string& host, const HostTags& tags);

}  // namespace statmill
