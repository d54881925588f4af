// The limit on open file descriptors of the process.
#pragma once

namespace statmill {

// Raises the soft limit to the hard limit. The usual soft limit of 1024 exists for programs that use select()
// and is too low for thousands of connections. Call it before any thread starts.
void raise_open_files_limit();

}  // namespace statmill
