// Open files: how many descriptors the process may have.
#pragma once

namespace statmill {

// Raises the limit to the highest that this process may set by itself: the usual 1024 is there for programs
// that use select(), and is too low for thousands of connections. Call it before any thread starts.
void raise_open_files_limit();

}  // namespace statmill
