// Sharing, on the side of the process that counts: creates the file (cell_file.h), extends it as cells are
// claimed, and enters the instruments that have cells.
//
// If a file system is full, touching a new page of a mapped file raises SIGBUS, so an add would end the
// process. To avoid this, all pages of a cell (one per CPU) are allocated when it is claimed; if that fails,
// so does the claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "counters/cell_file.h"

namespace statmill::sharing {

// All functions are thread-safe. cells.cc calls begin() and make_room() under its lock.

// Creates the file and returns its cells for `cpus` CPUs and one more, all zero. Returns null if sharing is
// not enabled or the file cannot be created; see share_error().
char* begin(size_t cpus) noexcept;
// Makes the first `cells` cells of each CPU usable. Returns false if the file system has no space for them.
bool make_room(size_t cells) noexcept;

struct Texts {
  std::string_view name;
  std::string_view unit;
  std::string_view help;
};
// Enters a live instrument; the fields of `entry` about its texts, its value, its exemplar and its state are
// ignored. Leaves out a unit or help that is too long, and the exemplar if there is no room. Returns the
// offset of the entry, or 0 if cells are not shared or the directory is full.
uint32_t enter(cell_file::Entry entry, Texts texts) noexcept;
// Keeps the labels of a value that was recorded as the exemplar of the histogram at `place`, if it is the
// largest of its slot of time. Async-signal-safe. Nobody waits: what comes while another thread writes is
// left out. Does nothing if the histogram is not shared, or has no room for an exemplar. Requires: the labels
// fit.
void offer_exemplar(uint32_t place, uint64_t value, std::string_view labels) noexcept;
// Marks an instrument as ended; `value` is the final count of a counter. Does nothing if `place` is 0.
void end(uint32_t place, uint64_t value) noexcept;
// Marks a histogram that has ended as gone, if it has this first cell. Call it before its cells are set to
// zero for another instrument.
void reuse(size_t first_cell) noexcept;

// To be called around fork(). The child gets private cells at the same address, all zero.
void before_fork() noexcept;
void after_fork_in_parent() noexcept;
void after_fork_in_child() noexcept;

// Maps private memory, zero, with pages on demand that a child of fork() sees as zero. Replaces the mapping
// at `place` unless that is null. Returns null on failure.
char* map_private(void* place, size_t bytes) noexcept;

}  // namespace statmill::sharing
