// Binds Unix sockets to paths.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/result.h"

namespace statmill {

inline constexpr size_t kSocketPathBytesMax = 107;  // the size of sun_path without its terminating zero

// Binds an AF_UNIX socket to the path with the permissions `mode`; at no time are they wider. Removes the
// stale socket of a server that has ended. The directory must belong to the effective user or to root, and
// only its owner may write to it. Errors: kInvalid (the path is too long, others can replace the socket, or a
// file is there that is not a socket), kBusy (another server listens there), kIo.
Status bind_unix_socket(int descriptor, const std::string& path, mode_t mode);

}  // namespace statmill
