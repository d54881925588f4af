// Sharing: keeps the cells of a process in a file, so that an agent can read them, even after the process
// died.
//
//   STATMILL_SHARE_CELLS("/run/statmill");  // once per program, outside of all namespaces
//
// Alternatively, set STATMILL_SHARE=/run/statmill in the environment, which takes precedence. The file is
// named <directory>/<pid>-<start time>.cells; the reader removes it. It contains counters and histograms, but
// no gauges and no instruments whose value comes from a function. Adds take as long as without sharing.
//
// If the file cannot be created, the process counts in private memory, as it does without sharing; so does a
// child of fork(). Only the owner can write the file. It must not be truncated while the process lives: the
// next add would end the process with SIGBUS.
#pragma once

// Defined by STATMILL_SHARE_CELLS. Constant, so it is set before the first instrument is constructed.
extern "C" [[gnu::weak]] const char* const statmill_share_directory;

#define STATMILL_SHARE_CELLS(directory)                   \
  extern "C" {                                            \
  const char* const statmill_share_directory = directory; \
  }                                                       \
  static_assert(true)  // requires a semicolon after the macro

namespace statmill {

// Both are set once the first counter or histogram is constructed. The strings stay valid until exit.

// The path of the file; null if the cells are not shared.
const char* share_path() noexcept;
// The reason why the cells are not shared although a directory was named; null otherwise.
const char* share_error() noexcept;

}  // namespace statmill
