#include "statmill/cells.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "counters/cell_file.h"
#include "counters/sharing.h"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define STATMILL_HAS_RSEQ 1
#else
#define STATMILL_HAS_RSEQ 0
#endif

namespace statmill {
namespace {

constexpr size_t kStride = size_t{1} << Cells::kCpuShift;
constexpr size_t kCellsPerLine = 64 / sizeof(uint64_t);
static_assert(kCellsMax * sizeof(uint64_t) == kStride);
constexpr size_t kCpusIfUnknown = 1024;

// All cells of the process. Never destroyed, because threads may add while the program ends.
struct Area {
  std::mutex mutex;
  char* base = nullptr;
  size_t cpus = 0;  // one more exists for threads without a known CPU, which add atomically
  size_t used = 0;  // cells of each CPU that were ever claimed
  std::atomic<CellMode> mode{CellMode::kNone};
  std::atomic<size_t> claimed{0};
  std::atomic<uint64_t> without_cell{0};
  std::atomic<bool> has_unknown_cpu{false};              // a thread without a known CPU has added
  std::multimap<size_t, uint64_t*>* released = nullptr;  // by count; allocated when first needed
};
constinit Area area;

// Returns the number of possible CPU ids: the last number of a list such as "0-63,128-191", plus one. Never
// calls malloc.
size_t cpus_possible() {
  std::array<char, 256> text{};
  const int file = ::open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC);
  if (file < 0) return kCpusIfUnknown;
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (size <= 0) return kCpusIfUnknown;
  std::string_view list(text.data(), static_cast<size_t>(size));
  while (!list.empty() && (list.back() < '0' || list.back() > '9')) list.remove_suffix(1);
  size_t last = 0;
  size_t digit = 1;
  for (; !list.empty() && list.back() >= '0' && list.back() <= '9' && digit <= 10000; digit *= 10) {
    last += digit * static_cast<size_t>(list.back() - '0');
    list.remove_suffix(1);
  }
  return digit == 1 || last >= cell_file::kCpusMax ? kCpusIfUnknown : last + 1;
}

bool has_rseq() {
#if STATMILL_HAS_RSEQ
  return __rseq_size > 0;
#else
  return false;
#endif
}

CellMode best_mode() {
  const CellMode best = !has_rseq()              ? CellMode::kGetCpu
                        : STATMILL_CELLS_SECTION ? CellMode::kSection
                                                 : CellMode::kCpu;
  const char* const wish = std::getenv("STATMILL_CELLS");
  if (wish == nullptr) return best;
  constexpr std::array<std::string_view, 4> kNames = {"section", "cpu", "getcpu", "one"};
  const auto found = std::find(kNames.begin(), kNames.end(), std::string_view(wish));
  if (found == kNames.end()) return best;
  return std::max(best, static_cast<CellMode>(1 + (found - kNames.begin())));
}

// Maps cells for `cpus` CPUs and one more: in a file if they are shared, otherwise in private memory.
char* map(size_t cpus) {
  char* const shared = sharing::begin(cpus);
  return shared != nullptr ? shared : sharing::map_private(nullptr, (cpus + 1) * kStride);
}

// Ensures that a child of fork() starts with zero cells and free locks.
void handle_forks() {
  ::pthread_atfork(
      [] {
        area.mutex.lock();
        sharing::before_fork();
      },
      [] {
        sharing::after_fork_in_parent();
        area.mutex.unlock();
      },
      [] {
        sharing::after_fork_in_child();
        area.mutex.unlock();
      });
}

// Maps the cells on the first call. Returns false if there is no memory. Requires: the lock is held.
bool begin() {
  if (area.base != nullptr) return true;
  CellMode mode = best_mode();
  size_t cpus = mode == CellMode::kOne ? 0 : cpus_possible();
  char* base = map(cpus);
  if (base == nullptr) {
    mode = CellMode::kOne;
    cpus = 0;
    base = map(cpus);
  }
  if (base == nullptr) return false;
  handle_forks();
  area.base = base;
  area.cpus = cpus;
  area.used = kCellsPerLine;  // cell 0 is never claimed
  area.mode.store(mode, std::memory_order_release);
  return true;
}

uint64_t* on_cpu(uint64_t* cell, size_t cpu) {
  return reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(cell) + (cpu << Cells::kCpuShift));
}

// Returns the index of a cell in the area of CPU 0.
size_t place_of(const uint64_t* first) {
  return static_cast<size_t>(first - reinterpret_cast<const uint64_t*>(area.base));
}

void add_atomically(uint64_t* cell, uint64_t n) {
  std::atomic_ref<uint64_t>(*cell).fetch_add(n, std::memory_order_release);
}

// Compiles to a plain load: aligned loads of eight bytes are atomic on all supported CPUs.
uint64_t load(const uint64_t* cell) { return __atomic_load_n(cell, __ATOMIC_RELAXED); }

// The number of CPUs, plus one if threads without a known CPU have added.
size_t shards() {
  return area.cpus + (area.cpus == 0 || area.has_unknown_cpu.load(std::memory_order_acquire) ? 1 : 0);
}

// Returns the index of the cell that the calling thread adds to in the atomic modes.
size_t shard_here() {
  int cpu = -1;
#if STATMILL_HAS_RSEQ
  if (area.mode.load(std::memory_order_relaxed) == CellMode::kCpu) {
    const char* const self = static_cast<const char*>(__builtin_thread_pointer()) + __rseq_offset;
    cpu = static_cast<int>(__atomic_load_n(reinterpret_cast<const uint32_t*>(self + 4), __ATOMIC_RELAXED));
  }
#endif
  if (area.mode.load(std::memory_order_relaxed) == CellMode::kGetCpu) cpu = ::sched_getcpu();
  return cpu < 0 || static_cast<size_t>(cpu) >= area.cpus ? area.cpus : static_cast<size_t>(cpu);
}

}  // namespace

CellMode cell_mode() noexcept { return area.mode.load(std::memory_order_acquire); }
size_t cells_claimed() noexcept { return area.claimed.load(std::memory_order_relaxed); }
uint64_t adds_without_cell() noexcept { return area.without_cell.load(std::memory_order_relaxed); }

bool Cells::claim(size_t count, bool by_line) noexcept {
  const std::lock_guard lock(area.mutex);
  if (count == 0 || count > kCellsMax || !begin()) return false;
  if (by_line) count = (count + kCellsPerLine - 1) / kCellsPerLine * kCellsPerLine;
  uint64_t* first = nullptr;
  if (area.released != nullptr) {
    const auto [from, until] = area.released->equal_range(count);
    const auto found = std::find_if(from, until, [&](const auto& run) {
      return !by_line || reinterpret_cast<uintptr_t>(run.second) % 64 == 0;
    });
    if (found != until) {
      first = found->second;
      area.released->erase(found);
      sharing::reuse(place_of(first));
      for (size_t cpu = 0; cpu <= area.cpus; ++cpu) std::memset(on_cpu(first, cpu), 0, count * sizeof *first);
    }
  }
  if (first == nullptr) {
    const size_t at = by_line ? (area.used + kCellsPerLine - 1) / kCellsPerLine * kCellsPerLine : area.used;
    if (at + count > kCellsMax || !sharing::make_room(at + count)) return false;
    first = reinterpret_cast<uint64_t*>(area.base) + at;
    area.used = at + count;
  }
  area.claimed.fetch_add(count, std::memory_order_relaxed);
  count_ = count;
  first_ = first;
  if (area.mode.load(std::memory_order_relaxed) == CellMode::kSection) quick_ = first;
  return true;
}

void Cells::release() noexcept {
  if (first_ == nullptr) return;
  const std::lock_guard lock(area.mutex);
  if (area.released == nullptr) area.released = new std::multimap<size_t, uint64_t*>;
  area.released->emplace(count_, first_);
  area.claimed.fetch_sub(count_, std::memory_order_relaxed);
  quick_ = first_ = nullptr;
  count_ = 0;
}

void Cells::add_slowly(size_t index, uint64_t n) noexcept {
  if (first_ == nullptr) {
    area.without_cell.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const size_t shard = shard_here();
  if (shard == area.cpus && !area.has_unknown_cpu.load(std::memory_order_relaxed))
    area.has_unknown_cpu.store(true, std::memory_order_release);
  add_atomically(on_cpu(first_ + index, shard), n);
}

uint64_t Cells::sum(size_t index) const noexcept {
  if (first_ == nullptr) return 0;
  uint64_t sum = 0;
  for (size_t shard = 0; shard < shards(); ++shard) sum += load(on_cpu(first_ + index, shard));
  return sum;
}

size_t Cells::offset() const noexcept {
  // Cell 0 is never claimed, so it stays zero.
  return first_ == nullptr ? 0 : place_of(first_);
}

void CellSnapshot::take() {
  size_t cells = 0;
  uint64_t* first = nullptr;
  {
    const std::lock_guard lock(area.mutex);
    cells = area.used;
    first = reinterpret_cast<uint64_t*>(area.base);
  }
  sums_.resize(cells);
  constexpr size_t kBlock = 1024;  // its sums stay in the cache while the cells of all CPUs are added
  for (size_t begin = 0; begin < cells; begin += kBlock) {
    const size_t end = std::min(cells, begin + kBlock);
    uint64_t* const sums = sums_.data();
    for (size_t i = begin; i < end; ++i) sums[i] = load(first + i);
    for (size_t shard = 1; shard < shards(); ++shard) {
      const uint64_t* const of_cpu = on_cpu(first, shard);
      for (size_t i = begin; i < end; ++i) sums[i] += load(of_cpu + i);
    }
  }
}

void Cells::sums(size_t begin, std::span<uint64_t> out) const noexcept {
  std::fill(out.begin(), out.end(), 0);
  if (first_ == nullptr) return;
  for (size_t shard = 0; shard < shards(); ++shard) {
    const uint64_t* const cells = on_cpu(first_ + begin, shard);
    for (size_t i = 0; i < out.size(); ++i) out[i] += load(cells + i);
  }
}

}  // namespace statmill
