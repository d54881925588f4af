// Sharing, the side of the process that counts: makes the file (cell_file.h), keeps room in it for the cells
// that are claimed, and enters the instruments that have them.
//
// That a page of a mapped file cannot be had, for want of space, would end the process with SIGBUS at an add.
// So each page is asked for when the first of its cells is claimed, of all CPUs, and the claim fails instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/cell_file.h"

namespace statmill::sharing {

// All are thread-safe. begin() and make_room() are called by cells.cc under its lock.

// The cells of so many CPUs and one more, all zero, in a file that is there from now on. Null: nobody asked
// for one, or it cannot be made, see share_error().
char* begin(size_t cpus) noexcept;
// The first so many cells of each CPU may be added to. False: there is no space for them.
bool make_room(size_t cells) noexcept;

// Enters an instrument that counts into its cells from now on. `value` and `state` do not matter. The entry's
// place; 0: not shared, or there is no room.
uint32_t enter(cell_file::Entry entry, const char* name) noexcept;
// Its instrument has ended; `value` of a counter is what it had counted. Place 0: nothing is done.
void end(uint32_t place, uint64_t value) noexcept;
// The run of cells that begins with this one becomes another instrument's: to be called before it is zero.
void reuse(size_t first_cell) noexcept;

// Around fork(). The child's cells are memory of its own, all zero, at the same place.
void before_fork() noexcept;
void after_fork_in_parent() noexcept;
void after_fork_in_child() noexcept;

// Memory of nobody else, all zero, pages on demand, none of a child: somewhere, or in place of what is there.
char* map_private(void* place, size_t bytes) noexcept;

}  // namespace statmill::sharing
