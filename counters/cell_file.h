// The format of the file in which a process shares its cells: written by sharing.cc, read by shared_cells.cc.
//
//   0        Header
//   4 KiB    directory: one Entry after another, for every instrument that ever joined
//   3.6 MiB  exemplars: 2048 of them, each of one histogram
//   4 MiB    cells: 4 MiB for each CPU, and for one more that serves threads without a known CPU
//
// Integers have the byte order of the machine, since no other reads them. Only pages in use take space.
// Entries are never moved or removed; only their state and value change.
//
// A reader that knows no exemplars reads all else. In a file of a program that knows none, the directory may
// reach up to the cells, and no entry has one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace statmill::cell_file {

constexpr std::array<char, 8> kMagic = {'S', 'M', 'C', 'E', 'L', 'L', 'S', '\n'};
constexpr uint32_t kVersion = 2;
constexpr size_t kDirectoryAt = 4096;
constexpr size_t kCellsAt = size_t{4} << 20;
constexpr size_t kExemplarsMax = 2048;
constexpr size_t kExemplarTextBytesMax = 160;
constexpr int64_t kExemplarSlot_ms = 10'000;  // the finest tier of a server by default
constexpr size_t kCpusMax = 8192;             // CONFIG_NR_CPUS of any kernel
constexpr size_t kNameBytesMax = 2048;        // the longest name that a server accepts
constexpr size_t kUnitBytesMax = 32;          // and of the longest unit and help text
constexpr size_t kHelpBytesMax = 1024;
constexpr size_t kHistogramCells = 2;  // after the cells of its buckets: the sum, and the number of overflows
constexpr unsigned kGroupingPowerMax = 16;

struct Header {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t pid;               // as the process itself sees it
  uint64_t start_ticks;       // when the process started: field 22 of /proc/<pid>/stat
  std::array<char, 40> boot;  // /proc/sys/kernel/random/boot_id, padded with zeros
  uint32_t cpus;              // not counting the additional one
  uint32_t zero;
  uint64_t directory_bytes;  // the bytes in use; atomic, stored after them
  uint64_t not_entered;      // instruments with cells that did not fit into the directory; atomic
};
static_assert(sizeof(Header) == 88);

enum class State : uint32_t {
  kLive = 1,   // counts into its cells
  kEnded = 2,  // a counter's final count is in `value`; a histogram's cells still have its counts
  kGone = 3,   // a histogram whose cells are in use by another instrument
};
enum class Type : uint8_t { kCounter = 1, kHistogram = 2 };

// Followed by name, unit and help, and by zeros up to a multiple of eight bytes.
struct Entry {
  State state;  // atomic, stored after all other fields
  Type type;
  uint8_t grouping_power;  // of a histogram; otherwise 0
  uint16_t name_bytes;
  uint32_t first_cell;
  uint32_t count;  // the number of a histogram's buckets; otherwise 1
  uint64_t value;  // of a counter that has ended; otherwise 0
  uint16_t unit_bytes = 0;
  uint16_t help_bytes = 0;
  uint32_t exemplar = 0;  // of a histogram: its number among the exemplars, from 1 on; 0: it has none
};
static_assert(sizeof(Entry) == 32);

// The largest value with labels (exemplar.h) in the slot of kExemplarSlot_ms in which the last one came. A
// reader reads `version` before and after the other fields: only if it is the same, and even, they are whole.
// One that a killed process has not finished is never read.
struct Exemplar {
  uint64_t version;  // atomic; odd while a thread writes the other fields; 0: there never was one
  uint64_t value;
  int64_t time_ms;  // unix time
  uint64_t label_bytes;
  std::array<char, kExemplarTextBytesMax> labels;
};
static_assert(sizeof(Exemplar) == 192);
constexpr size_t kExemplarsAt = kCellsAt - kExemplarsMax * sizeof(Exemplar);
static_assert(kExemplarsAt % 65536 == 0);  // pages are not larger

// The bytes of an entry whose texts have this many.
constexpr size_t entry_bytes(size_t text_bytes) { return sizeof(Entry) + (text_bytes + 7) / 8 * 8; }
constexpr size_t text_bytes_of(const Entry& entry) {
  return size_t{entry.name_bytes} + entry.unit_bytes + entry.help_bytes;
}

// The number of a histogram's cells of finished records, which come last: one per power of two (histogram.h).
constexpr size_t finished_cells_of(const Entry& entry) { return entry.count >> entry.grouping_power; }

// The number of cells of an entry's instrument.
constexpr size_t cells_of(const Entry& entry) {
  return entry.type == Type::kHistogram ? entry.count + kHistogramCells + finished_cells_of(entry) : 1;
}

// Returns when a process started, in ticks since boot, given its directory in /proc ("/proc/self"). Returns 0
// if it does not exist or is a zombie. Never calls malloc.
uint64_t process_start(const char* proc_directory) noexcept;
// Returns the id of the current boot; zeros if the kernel does not provide it. Never calls malloc.
std::array<char, 40> boot_id() noexcept;

}  // namespace statmill::cell_file
