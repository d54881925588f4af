// Cells: the memory in which counters count. A cell is an 8-byte integer per CPU. A thread adds to the copy
// of the CPU it runs on, so threads never contend for a cache line, and counts survive the end of their
// thread.
//
// Before the first cell is claimed, the process picks the best of four ways to add, and uses it from then on:
//   section   a plain add in a restartable sequence: the kernel restarts it when it interrupts it (x86-64 and
//             aarch64, glibc 2.35 or later)
//   cpu       an atomic add to the cell of the CPU number that rseq provides (other CPUs, ThreadSanitizer)
//   getcpu    an atomic add to the cell of the CPU number from sched_getcpu() (no rseq)
//   one       an atomic add to one cell for all CPUs (no memory for a cell per CPU)
// For tests, the environment variable STATMILL_CELLS with one of these names chooses a later one in this
// list.
//
// In a child of fork() all cells start at zero: it counts only what it does itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define STATMILL_CELLS_SECTION 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STATMILL_CELLS_SECTION 0
#endif
#endif
#ifndef STATMILL_CELLS_SECTION
#if __has_include(<sys/rseq.h>) && (defined(__x86_64__) || defined(__aarch64__))
#define STATMILL_CELLS_SECTION 1
#else
#define STATMILL_CELLS_SECTION 0
#endif
#endif

#if STATMILL_CELLS_SECTION && defined(__x86_64__)
#include "statmill/rseq_x86_64.h"
#elif STATMILL_CELLS_SECTION
#include "statmill/rseq_aarch64.h"
#endif

namespace statmill {

enum class CellMode { kNone, kSection, kCpu, kGetCpu, kOne };

// How this process adds; kNone before the first claim.
CellMode cell_mode() noexcept;
// The number of cells that are claimed now (the copies for all CPUs are one cell), and the limit of them.
size_t cells_claimed() noexcept;
inline constexpr size_t kCellsMax = size_t{1} << 19;
// The number of adds that were lost because their instrument had got no cell.
uint64_t adds_without_cell() noexcept;

// A contiguous run of cells. Constant-initialized, so add() works before main and in signal handlers.
class Cells {
 public:
  // Distance between the cells of consecutive CPUs: 4 MiB of address space; only touched pages use memory.
  static constexpr unsigned kCpuShift = 22;

  constexpr Cells() = default;
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  ~Cells() { release(); }

  // Claims `count` cells, all zero; with `by_line` they start at a cache line. Returns false if too few are
  // left; then adds only increment adds_without_cell(). Takes a lock; the first claim of the process maps
  // memory; never calls malloc. Requires: this object has no cells.
  bool claim(size_t count, bool by_line = false) noexcept;
  // Returns the cells for reuse. Requires: no thread adds to them any more.
  void release() noexcept;

  // Adds modulo 2^64. Thread-safe and async-signal-safe; about eight instructions. A reader that reads two
  // cells in the reverse order of a thread's adds sees the first add whenever it sees the second.
  void add(size_t index, uint64_t n) noexcept {
#if STATMILL_CELLS_SECTION
    uint64_t* const cells = quick_;
    if (cells != nullptr && cells::add_on_this_cpu<kCpuShift>(cells + index, n)) [[likely]]
      return;
#endif
    add_slowly(index, n);
  }
  // Adds to one cell, then to another; slightly faster than two calls of add().
  void add_to_both(size_t index, uint64_t n, size_t other, uint64_t m) noexcept {
#if STATMILL_CELLS_SECTION
    uint64_t* const cells = quick_;
    if (cells != nullptr && cells::add_on_this_cpu<kCpuShift>(cells + index, n)) [[likely]] {
      if (cells::add_on_this_cpu<kCpuShift>(cells + other, m)) [[likely]]
        return;
    } else {
      add_slowly(index, n);
    }
#else
    add_slowly(index, n);
#endif
    add_slowly(other, m);
  }

  // The sum over all CPUs. Later sums are never smaller. Concurrent adds may or may not be included.
  // Cost: 1.2 ns per CPU.
  uint64_t sum(size_t index) const noexcept;
  // Fills `out` with the sums of consecutive cells from `begin` on, in one pass over each CPU's cells.
  void sums(size_t begin, std::span<uint64_t> out) const noexcept;

  size_t size() const { return count_; }
  // The index of the first cell in CellSnapshot's sums; 0 if nothing is claimed.
  size_t offset() const noexcept;

 private:
  [[gnu::cold, gnu::noinline]] void add_slowly(size_t index, uint64_t n) noexcept;

  uint64_t* quick_ = nullptr;  // the cell of CPU 0; null unless the mode is kSection
  uint64_t* first_ = nullptr;  // the cell of CPU 0
  size_t count_ = 0;
};

// A copy of the sums of all cells of the process, made in one pass over each CPU's cells: 1 ns per cell and
// CPU. Not thread-safe.
class CellSnapshot {
 public:
  // Reads all cells. Allocates the first time, and when there are more cells than ever before.
  void take();
  // The sum as of the last take(); 0 if the cell was claimed later. Requires: `index` < cells.size().
  uint64_t sum(const Cells& cells, size_t index) const {
    const size_t at = cells.offset() + index;
    return at < sums_.size() ? sums_[at] : 0;
  }

 private:
  std::vector<uint64_t> sums_;
};

}  // namespace statmill
