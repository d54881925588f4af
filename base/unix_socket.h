// Unix sockets that have a path: how a server takes one.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kSocketPathBytesMax = 107;  // sun_path, less its zero

// Binds a socket of AF_UNIX to the path, with these rights, and never with more. What is left there of a
// server that has ended is removed. Errors: kInvalid (the path is too long, or of a file that is no socket),
// kBusy (another server listens there), kIo.
Status bind_unix_socket(int descriptor, const std::string& path, mode_t mode);

}  // namespace statmill
