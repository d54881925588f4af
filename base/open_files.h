// The limit on open file descriptors of the process, and how listeners share what it leaves.
#pragma once

#include <cstddef>
#include <span>

#include "base/log.h"

namespace statmill {

// Raises the soft limit to the hard limit, and returns the limit. The usual soft limit of 1024 exists for
// programs that use select() and is too low for thousands of connections. Call it before any thread starts.
size_t raise_open_files_limit();

// Connections that a port keeps even if descriptors are few.
inline constexpr size_t kConnectionsMin = 4;

// Returns how many of `wanted` connections fit if `reserved` of the descriptors are for others; at least
// kConnectionsMin. Logs a warning if it is less.
size_t connections_that_fit(size_t descriptors, size_t reserved, size_t wanted, Log& log);

// Lowers limits on open connections, in proportion, until all of them together need at most `descriptors`;
// each keeps at least kConnectionsMin. Returns false and changes nothing if even these are too many.
bool share_descriptors(size_t descriptors, std::span<size_t* const> limits);

}  // namespace statmill
