#include "counters/sharing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "statmill/cells.h"
#include "statmill/share.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace statmill::sharing {
namespace {

using cell_file::Entry;
using cell_file::Exemplar;
using cell_file::Header;
using cell_file::State;

constexpr size_t kStride = size_t{1} << Cells::kCpuShift;

// The file of the process. Never destroyed, like the cells.
struct File {
  std::mutex mutex;                 // protects all fields below; locked after that of the cells
  std::atomic<char*> map{nullptr};  // of the whole file; null if not shared. Written under the mutex
  size_t bytes = 0;                 // of the file
  size_t shards = 0;                // the CPUs and one more
  size_t directory_room = 0;        // how many bytes from the start of the file are allocated
  size_t exemplars_room = 0;        // how many bytes of the exemplars are allocated
  size_t cells_room = 0;            // how many bytes of each CPU's cells are allocated
  int descriptor = -1;              // holds the lock that shows that the process lives
  dev_t device = 0;                 // of the file, to recognize the descriptor as ours
  ino_t inode = 0;
  std::map<size_t, uint32_t>* ended = nullptr;  // histograms whose cells are not claimed again, by first cell
  std::bitset<cell_file::kExemplarsMax> exemplars;  // those that a histogram has
  std::array<char, 512> path{};
  std::array<char, 640> error{};
  std::atomic<bool> has_failed{false};  // set after `error` is written
};
constinit File file;

size_t up_to_page(size_t bytes) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Stores the reason and returns false.
bool fail(const char* what, const char* reason) {
  std::snprintf(file.error.data(), file.error.size(), "%s: %s", what, reason);
  file.has_failed.store(true, std::memory_order_release);
  return false;
}
bool fail(const char* what) { return fail(what, std::strerror(errno)); }

const char* directory_wanted() {
  // secure_getenv() ignores the environment of programs that have more privileges than their caller.
  const char* const wish = ::secure_getenv("STATMILL_SHARE");
  if (wish != nullptr) return *wish == '\0' ? nullptr : wish;
  return &statmill_share_directory == nullptr ? nullptr : statmill_share_directory;
}

// Allocates pages, so that no access to them fails. Returns false if there is no space.
bool populate(size_t at, size_t bytes) {
  int result = 0;
  do {
    result = ::madvise(file.map.load(std::memory_order_relaxed) + at, bytes, MADV_POPULATE_WRITE);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// Creates a file without a name, in its final size; as it is sparse, that takes no space.
bool make_file(const char* directory) {
  rlimit limit{};
  // Exceeding the limit raises SIGXFSZ, which would end the process.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < file.bytes)
    return fail(directory, "the file would exceed the limit of file sizes (ulimit -f)");
  file.descriptor = ::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0640);
  if (file.descriptor < 0) return fail(directory);
  struct stat status {};
  if (::ftruncate(file.descriptor, static_cast<off_t>(file.bytes)) != 0 ||
      ::fstat(file.descriptor, &status) != 0)
    return fail(directory);
  file.device = status.st_dev;
  file.inode = status.st_ino;
  // Shows that the process lives, even to readers that cannot see it in /proc. A child closes the file, so it
  // does not hold the lock.
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(file.descriptor, F_OFD_SETLK, &lock) == 0 || fail("lock");
}

bool map_file() {
  void* const memory =
      ::mmap(nullptr, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.descriptor, 0);
  if (memory == MAP_FAILED) return fail("mmap");
  static_cast<void>(::madvise(memory, file.bytes, MADV_NOHUGEPAGE));
  file.map.store(static_cast<char*>(memory), std::memory_order_relaxed);
  file.directory_room = up_to_page(cell_file::kDirectoryAt);
  file.cells_room = 0;
  return populate(0, file.directory_room) || fail("madvise(MADV_POPULATE_WRITE)");
}

// Gives the complete file its name.
bool name_file(const char* directory) {
  auto& header = *reinterpret_cast<Header*>(file.map.load(std::memory_order_relaxed));
  header.version = cell_file::kVersion;
  header.pid = static_cast<uint32_t>(::getpid());
  header.start_ticks = cell_file::process_start("/proc/self");
  header.boot = cell_file::boot_id();
  header.cpus = static_cast<uint32_t>(file.shards - 1);
  header.magic = cell_file::kMagic;
  if (header.start_ticks == 0) return fail("/proc/self/stat", "cannot be read");
  const int size = std::snprintf(file.path.data(), file.path.size(), "%s/%u-%llu.cells", directory,
                                 header.pid, static_cast<unsigned long long>(header.start_ticks));
  if (size < 0 || static_cast<size_t>(size) >= file.path.size()) return fail("path", "is too long");
  std::array<char, 64> unnamed{};
  std::snprintf(unnamed.data(), unnamed.size(), "/proc/self/fd/%d", file.descriptor);
  return ::linkat(AT_FDCWD, unnamed.data(), AT_FDCWD, file.path.data(), AT_SYMLINK_FOLLOW) == 0 ||
         fail(file.path.data());
}

// Closes the descriptor, unless the program has closed it and reused its number.
void close_descriptor() {
  struct stat status {};
  if (file.descriptor >= 0 && ::fstat(file.descriptor, &status) == 0 && status.st_dev == file.device &&
      status.st_ino == file.inode)
    ::close(file.descriptor);
  file.descriptor = -1;
}

void give_up() {
  char* const map = file.map.exchange(nullptr, std::memory_order_relaxed);
  if (map != nullptr) ::munmap(map, file.bytes);
  close_descriptor();
}

bool make_room_locked(size_t cells) {
  const size_t end = up_to_page(cells * sizeof(uint64_t));
  if (end <= file.cells_room) return true;
  for (size_t shard = 0; shard < file.shards; ++shard) {
    const size_t at = cell_file::kCellsAt + shard * kStride + file.cells_room;
    if (!populate(at, end - file.cells_room)) return false;
  }
  file.cells_room = end;
  return true;
}

template <class Value>
std::atomic_ref<Value> shared(Value& value) {
  return std::atomic_ref<Value>(value);
}

Entry& entry_at(char* map, uint32_t place) { return *reinterpret_cast<Entry*>(map + place); }

bool is_exemplar(uint32_t number) { return number >= 1 && number <= cell_file::kExemplarsMax; }
// Requires: is_exemplar().
Exemplar& exemplar_at(char* map, uint32_t number) {
  return reinterpret_cast<Exemplar*>(map + cell_file::kExemplarsAt)[number - 1];
}

// Returns the number of an exemplar that no histogram has; 0 if there is none, or no space for it.
uint32_t claim_exemplar(char* map) {
  uint32_t number = 1;
  while (is_exemplar(number) && file.exemplars[number - 1]) ++number;
  if (!is_exemplar(number)) return 0;
  const size_t end = up_to_page(number * sizeof(Exemplar));
  if (end > file.exemplars_room) {
    if (!populate(cell_file::kExemplarsAt + file.exemplars_room, end - file.exemplars_room)) return 0;
    file.exemplars_room = end;
  }
  file.exemplars.set(number - 1);
  exemplar_at(map, number) = {};
  return number;
}

int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // 4 ms are exact enough, and take a quarter of the time
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

char* begin(size_t cpus) noexcept {
  const std::lock_guard lock(file.mutex);
  const char* const directory = directory_wanted();
  if (directory == nullptr) return nullptr;
  file.shards = cpus + 1;
  file.bytes = cell_file::kCellsAt + file.shards * kStride;
  if (!make_file(directory) || !map_file() ||
      !(make_room_locked(1) || fail("madvise(MADV_POPULATE_WRITE)")) || !name_file(directory)) {
    give_up();
    return nullptr;
  }
  return file.map.load(std::memory_order_relaxed) + cell_file::kCellsAt;
}

bool make_room(size_t cells) noexcept {
  const std::lock_guard lock(file.mutex);
  return file.map.load(std::memory_order_relaxed) == nullptr || make_room_locked(cells);
}

uint32_t enter(Entry entry, Texts texts) noexcept {
  if (file.map.load(std::memory_order_acquire) == nullptr) return 0;
  const std::lock_guard lock(file.mutex);
  char* const map = file.map.load(std::memory_order_relaxed);
  if (map == nullptr) return 0;
  auto& header = *reinterpret_cast<Header*>(map);
  if (texts.unit.size() > cell_file::kUnitBytesMax) texts.unit = {};
  if (texts.help.size() > cell_file::kHelpBytesMax) texts.help = {};
  const size_t name_bytes = texts.name.size();
  const size_t at = cell_file::kDirectoryAt + header.directory_bytes;
  const size_t end = at + cell_file::entry_bytes(name_bytes + texts.unit.size() + texts.help.size());
  const size_t pages_end = up_to_page(end);
  if (name_bytes == 0 || name_bytes > cell_file::kNameBytesMax || end > cell_file::kExemplarsAt ||
      (pages_end > file.directory_room && !populate(file.directory_room, pages_end - file.directory_room))) {
    shared(header.not_entered).fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  file.directory_room = std::max(file.directory_room, pages_end);
  entry.name_bytes = static_cast<uint16_t>(name_bytes);
  entry.unit_bytes = static_cast<uint16_t>(texts.unit.size());
  entry.help_bytes = static_cast<uint16_t>(texts.help.size());
  entry.exemplar = entry.type == cell_file::Type::kHistogram ? claim_exemplar(map) : 0;
  entry.state = State::kLive;
  entry.value = 0;
  std::memcpy(map + at, &entry, sizeof entry);
  char* to = map + at + sizeof entry;
  for (const std::string_view text : {texts.name, texts.unit, texts.help})
    to = std::copy(text.begin(), text.end(), to);
  shared(header.directory_bytes).store(end - cell_file::kDirectoryAt, std::memory_order_release);
  return static_cast<uint32_t>(at);
}

void offer_exemplar(uint32_t place, uint64_t value, std::string_view labels) noexcept {
  char* const map = file.map.load(std::memory_order_acquire);
  if (map == nullptr || place == 0) return;
  const uint32_t number = entry_at(map, place).exemplar;
  if (!is_exemplar(number)) return;
  Exemplar& exemplar = exemplar_at(map, number);
  uint64_t version = shared(exemplar.version).load(std::memory_order_acquire);
  const int64_t now = now_ms();
  const int64_t then = shared(exemplar.time_ms).load(std::memory_order_relaxed);
  const bool is_same_slot = now / cell_file::kExemplarSlot_ms == then / cell_file::kExemplarSlot_ms;
  if (is_same_slot && value <= shared(exemplar.value).load(std::memory_order_relaxed)) return;
  // Fails if another thread has written since, or writes.
  if (version % 2 != 0 ||
      !shared(exemplar.version).compare_exchange_strong(version, version + 1, std::memory_order_acquire))
    return;
  std::atomic_thread_fence(std::memory_order_release);
  shared(exemplar.value).store(value, std::memory_order_relaxed);
  shared(exemplar.time_ms).store(now, std::memory_order_relaxed);
  exemplar.label_bytes = labels.size();
  std::copy(labels.begin(), labels.end(), exemplar.labels.begin());
  shared(exemplar.version).store(version + 2, std::memory_order_release);
}

void end(uint32_t place, uint64_t value) noexcept {
  if (place == 0) return;
  const std::lock_guard lock(file.mutex);
  char* const map = file.map.load(std::memory_order_relaxed);
  if (map == nullptr) return;
  Entry& entry = entry_at(map, place);
  if (entry.type == cell_file::Type::kHistogram) {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): a failed allocation ends the process
    if (file.ended == nullptr) file.ended = new std::map<size_t, uint32_t>;
    file.ended->insert_or_assign(entry.first_cell, place);
  }
  shared(entry.value).store(value, std::memory_order_relaxed);
  shared(entry.state).store(State::kEnded, std::memory_order_release);
}

void reuse(size_t first_cell) noexcept {
  const std::lock_guard lock(file.mutex);
  char* const map = file.map.load(std::memory_order_relaxed);
  if (map == nullptr || file.ended == nullptr) return;
  const auto found = file.ended->find(first_cell);
  if (found == file.ended->end()) return;
  Entry& entry = entry_at(map, found->second);
  shared(entry.state).store(State::kGone, std::memory_order_relaxed);
  if (is_exemplar(entry.exemplar)) file.exemplars.reset(entry.exemplar - 1);
  file.ended->erase(found);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // readers that see changed cells see this, too
}

void before_fork() noexcept { file.mutex.lock(); }
void after_fork_in_parent() noexcept { file.mutex.unlock(); }

void after_fork_in_child() noexcept {
  if (char* const map = file.map.exchange(nullptr, std::memory_order_relaxed); map != nullptr) {
    map_private(map, file.bytes);
    close_descriptor();
    fail(file.path.data(), "belongs to the parent process");
  }
  file.mutex.unlock();
}

char* map_private(void* place, size_t bytes) noexcept {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place == nullptr ? 0 : MAP_FIXED);
  void* const memory = ::mmap(place, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Small pages, because only a small part of each CPU's cells is used. WIPEONFORK, because a child must not
  // have the counts of its parent.
  static_cast<void>(::madvise(memory, bytes, MADV_NOHUGEPAGE));
  static_cast<void>(::madvise(memory, bytes, MADV_WIPEONFORK));
  return static_cast<char*>(memory);
}

}  // namespace statmill::sharing

namespace statmill {

const char* share_path() noexcept {
  using sharing::file;
  return file.map.load(std::memory_order_acquire) == nullptr ? nullptr : file.path.data();
}

const char* share_error() noexcept {
  using sharing::file;
  return share_path() == nullptr && file.has_failed.load(std::memory_order_acquire) ? file.error.data()
                                                                                    : nullptr;
}

}  // namespace statmill
