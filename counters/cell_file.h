// The file that a process shares its cells by: written by sharing.cc, read by shared_cells.cc.
//
//   0        Header
//   4 KiB    directory: an Entry for each instrument that ever joined, one behind the other
//   4 MiB    cells, 4 MiB of each CPU, and of one more for threads that the kernel does not know
//
// Numbers are in the byte order of the machine: no other reads them. Only pages that are used exist. What
// stands in the directory stays; of an entry only its state and its value change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace statmill::cell_file {

constexpr std::array<char, 8> kMagic = {'S', 'M', 'C', 'E', 'L', 'L', 'S', '\n'};
constexpr uint32_t kVersion = 2;
constexpr size_t kDirectoryAt = 4096;
constexpr size_t kCellsAt = size_t{4} << 20;
constexpr size_t kCpusMax = 8192;       // CONFIG_NR_CPUS of any kernel
constexpr size_t kNameBytesMax = 1024;  // a server takes no longer one
constexpr size_t kHistogramCells = 2;   // after those of its buckets: the sum, and what was too great
constexpr unsigned kGroupingPowerMax = 16;

struct Header {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t pid;               // as the process itself knows it
  uint64_t start_ticks;       // when it began: field 22 of /proc/<pid>/stat
  std::array<char, 40> boot;  // under which boot: /proc/sys/kernel/random/boot_id, then zeros
  uint32_t cpus;              // and one more
  uint32_t zero;
  uint64_t directory_bytes;  // that are written; atomic, stored after them
  uint64_t not_entered;      // instruments with cells that found no room in the directory; atomic
};
static_assert(sizeof(Header) == 88);

enum class State : uint32_t {
  kLive = 1,   // counts into its cells
  kEnded = 2,  // `value` is what a counter had counted last; a histogram's cells are as they were
  kGone = 3,   // a histogram whose cells are another's by now
};
enum class Type : uint8_t { kCounter = 1, kHistogram = 2 };

// Then the name, then zeros up to a multiple of eight bytes.
struct Entry {
  State state;  // atomic, stored after all else of the entry
  Type type;
  uint8_t grouping_power;  // of a histogram; else 0
  uint16_t name_bytes;
  uint32_t first_cell;
  uint32_t count;  // of a histogram's buckets; else 1
  uint64_t value;  // of a counter that ended; else 0
};
static_assert(sizeof(Entry) == 24);

constexpr size_t entry_bytes(size_t name_bytes) { return sizeof(Entry) + (name_bytes + 7) / 8 * 8; }

// A histogram's cells of finished records come last, one for each power of two (statmill/histogram.h).
constexpr size_t finished_cells_of(const Entry& entry) { return entry.count >> entry.grouping_power; }

// How many cells an entry's instrument has.
constexpr size_t cells_of(const Entry& entry) {
  return entry.type == Type::kHistogram ? entry.count + kHistogramCells + finished_cells_of(entry) : 1;
}

// When a process began, in ticks since the boot, by its directory in /proc ("/proc/self"). 0: there is none,
// or it has ended and nobody has asked how. No malloc.
uint64_t process_start(const char* proc_directory) noexcept;
// Under which boot we run; zeros when the kernel does not say. No malloc.
std::array<char, 40> boot_id() noexcept;

}  // namespace statmill::cell_file
