// Sharing: the cells of a process in a file, which an agent reads, also after the process has died.
//
//   STATMILL_SHARE_CELLS("/run/statmill");  // once in a program, outside of all namespaces
//
// or STATMILL_SHARE=/run/statmill in the environment, which goes before. The file is
// <directory>/<pid>-<start time>.cells; who reads it removes it. Counters and histograms are in it; gauges,
// maxima and what is asked by a function are not. Counting takes as long as without.
//
// A file that cannot be made costs a program nothing: it counts in memory of its own, as when nobody asked.
// A child of fork() does so too. Nobody but the owner can write the file, and it must not be cut short while
// the process lives: the next add would end it.
#pragma once

// What the program defines by STATMILL_SHARE_CELLS; known before its first instrument is made.
extern "C" [[gnu::weak]] const char* const statmill_share_directory;

#define STATMILL_SHARE_CELLS(directory)                   \
  extern "C" {                                            \
  const char* const statmill_share_directory = directory; \
  }                                                       \
  static_assert(true)  // for the semicolon

namespace statmill {

// Both are known with the first counter or histogram, and valid for ever.

// The file; null: the cells are not shared.
const char* share_path() noexcept;
// Why they are not, though a directory was named; else null.
const char* share_error() noexcept;

}  // namespace statmill
