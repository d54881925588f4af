// Cells: where counters count. A cell is eight bytes for each CPU, all at one distance from one another; a
// thread adds to the cell of the CPU it runs on, so no two ever wait for a cache line, and what stands in a
// cell stays when the thread ends.
//
// How to add is chosen once per process, before the first cell, and never mixed:
//   rseq section   a plain add that the kernel restarts when it interrupts it (x86-64, aarch64; glibc 2.35)
//   rseq CPU       the CPU's number from there and an atomic add (other CPUs, ThreadSanitizer)
//   getcpu         the number from sched_getcpu and an atomic add (no rseq)
//   one            one cell for all, an atomic add (no memory for a cell per CPU)
// STATMILL_CELLS = section, cpu, getcpu or one in the environment chooses a later one; for tests.
//
// After fork() the child's cells are zero: it counts what it does itself.
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

// How this process adds; kNone before the first cells.
CellMode cell_mode() noexcept;
// Cells claimed and not released, a cell of all CPUs as one; and how many may be at once.
size_t cells_claimed() noexcept;
inline constexpr size_t kCellsMax = size_t{1} << 19;
// Adds that found no cell, since all were claimed: an instrument is there, but counts here.
uint64_t adds_without_cell() noexcept;

// A run of cells. Constant-initialised, so that it may be added to before main and in signal handlers.
class Cells {
 public:
  // From one CPU's cell to the next: 4 MiB, of which only touched pages exist.
  static constexpr unsigned kCpuShift = 22;

  constexpr Cells() = default;
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  ~Cells() { release(); }

  // All zero. False: none are left, and adds are counted as adds_without_cell(). `by_line`: beginning with a
  // cache line. Requires: none are claimed. Takes a lock and, the first time, maps memory; no malloc.
  bool claim(size_t count, bool by_line = false) noexcept;
  // Requires: nobody adds any more.
  void release() noexcept;

  // Modulo 2^64. From any thread, and in a signal handler. About eight instructions. Who reads two cells in
  // the opposite order of a thread's adds sees the first add if it sees the second.
  void add(size_t index, uint64_t n) noexcept {
#if STATMILL_CELLS_SECTION
    uint64_t* const cells = quick_;
    if (cells != nullptr && cells::add_on_this_cpu<kCpuShift>(cells + index, n)) [[likely]]
      return;
#endif
    add_slowly(index, n);
  }
  // The same to one cell and then to another, for a little less.
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

  // Over all CPUs. Each cell never falls, so of two sums the later is not the lesser; what others add
  // meanwhile may be in it or not. Cost: 1.2 ns per CPU.
  uint64_t sum(size_t index) const noexcept;
  // The same of `out.size()` cells from `begin` on, in one pass over each CPU's.
  void sums(size_t begin, std::span<uint64_t> out) const noexcept;

  size_t size() const { return count_; }
  // Where the first of them is in CellSnapshot's sums; none when nothing is claimed.
  size_t offset() const noexcept;

 private:
  [[gnu::cold, gnu::noinline]] void add_slowly(size_t index, uint64_t n) noexcept;

  uint64_t* quick_ = nullptr;  // CPU 0's, where the mode is kSection
  uint64_t* first_ = nullptr;  // CPU 0's
  size_t count_ = 0;
};

// The sums of all cells of the process, in one pass over each CPU's: 1 ns for a cell and CPU. Confined to a
// thread.
class CellSnapshot {
 public:
  // Takes memory the first time, and when there are more cells than ever.
  void take();
  // As of the last take(); 0 of cells that were claimed later. Requires: `index` < cells.size().
  uint64_t sum(const Cells& cells, size_t index) const {
    const size_t at = cells.offset() + index;
    return at < sums_.size() ? sums_[at] : 0;
  }

 private:
  std::vector<uint64_t> sums_;
};

}  // namespace statmill
