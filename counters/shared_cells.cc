//
// The directory is read before the cells, to know their number, and again after them. A process changes an
// entry before it reuses the cells; so what the entries say afterwards is true of the cells that were read.
//
// A histogram's finished records are read before its sum, and the sum before the buckets; see unfinished.h.
//
// A histogram's exemplar is read before its buckets, so that they have its value.
//
// The kernels of x86-64 and aarch64 copy aligned words atomically, so a cell is never read in the middle of
// an add. A mapping would guarantee that, too, but would end this process if the file is truncated.
#include "statmill/shared_cells.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "counters/cell_directory.h"
#include "counters/cell_file.h"
#include "counters/unfinished.h"
#include "statmill/cells.h"

namespace statmill {
namespace {

using cell_file::Directory;
using cell_file::Entry;
using cell_file::Exemplar;
using cell_file::has_cells;
using cell_file::Header;
using cell_file::Item;
using cell_file::State;
using cell_file::Type;

constexpr size_t kSharedStride = size_t{1} << Cells::kCpuShift;
constexpr size_t kBlock = 8192;  // cells; 64 KiB fit into the cache

// Returns false if the bytes do not exist or cannot be read.
bool read_at(int descriptor, void* out, size_t bytes, uint64_t at) {
  auto* to = static_cast<char*>(out);
  while (bytes != 0) {
    const ssize_t n = ::pread(descriptor, to, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

// The parts of a histogram that are read before its buckets.
struct Recorded {
  std::vector<uint64_t> finished;  // finished records by group
  uint64_t sum = 0;
};
using RecordedByPlace = std::unordered_map<size_t, Recorded>;  // Item::at

// Adds the cells from `cell` on of all CPUs to `out`. Returns false if the file is truncated.
bool read_over_cpus(int descriptor, uint64_t shards, size_t cell, std::span<uint64_t> out) {
  std::vector<uint64_t> part(out.size());
  for (uint64_t shard = 0; shard < shards; ++shard) {
    const uint64_t at = cell_file::kCellsAt + shard * kSharedStride + cell * sizeof(uint64_t);
    if (!read_at(descriptor, part.data(), out.size() * sizeof(uint64_t), at)) return false;
    for (size_t i = 0; i < out.size(); ++i) out[i] += part[i];
  }
  return true;
}

// Returns nullopt if the file is truncated.
std::optional<RecordedByPlace> read_recorded(int descriptor, uint64_t shards, const Directory& directory) {
  RecordedByPlace out;
  for (const Item& item : directory.items) {
    const Entry& entry = item.entry;
    if (entry.type != Type::kHistogram || !has_cells(entry)) continue;
    const size_t sum_cell = size_t{entry.first_cell} + entry.count;
    Recorded recorded{std::vector<uint64_t>(cell_file::finished_cells_of(entry))};
    if (!read_over_cpus(descriptor, shards, sum_cell + cell_file::kHistogramCells, recorded.finished))
      return std::nullopt;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!read_over_cpus(descriptor, shards, sum_cell, std::span(&recorded.sum, 1))) return std::nullopt;
    out.emplace(item.at, std::move(recorded));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return out;
}

// Returns false if the counts are impossible.
bool read_histogram(const Entry& entry, const uint64_t* cells, const Recorded& recorded, Reading& out) {
  out.type = Reading::Type::kHistogram;
  out.grouping_power = entry.grouping_power;
  for (uint32_t i = 0; i < entry.count; ++i) {
    if (cells[i] == 0) continue;
    if (cells[i] > SharedCells::kHistogramCountMax - out.count) return false;
    out.count += cells[i];
    out.buckets.push_back({i, cells[i]});
  }
  out.sum = recorded.sum;
  out.overflows = cells[entry.count + 1];
  out.sum_missing_max = sum_missing_max(entry.grouping_power, {cells, entry.count}, recorded.finished);
  return true;
}

struct Exemplars {
  std::unordered_map<size_t, RecordedExemplar> by_place;  // Item::at
  uint64_t refused = 0;                                   // whole ones that are impossible
};

// Reads one exemplar, if it is whole. Returns false if the file is truncated.
bool read_exemplar(int descriptor, const Item& item, Exemplars& out) {
  const size_t at = cell_file::kExemplarsAt + (item.entry.exemplar - 1) * sizeof(Exemplar);
  static_assert(offsetof(Exemplar, version) == 0);
  uint64_t before = 0;
  if (!read_at(descriptor, &before, sizeof before, at)) return false;
  if (before == 0 || before % 2 != 0) return true;
  std::atomic_thread_fence(std::memory_order_acquire);
  Exemplar exemplar{};
  if (!read_at(descriptor, &exemplar, sizeof exemplar, at)) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  uint64_t after = 0;
  if (!read_at(descriptor, &after, sizeof after, at)) return false;
  if (before != after) return true;
  const size_t bytes = exemplar.label_bytes;
  if (bytes == 0 || bytes > exemplar.labels.size() || exemplar.time_ms < 0) {
    ++out.refused;
  } else {
    out.by_place.insert_or_assign(item.at, RecordedExemplar{exemplar.value, exemplar.time_ms,
                                                            std::string(exemplar.labels.data(), bytes)});
  }
  return true;
}

// Returns nullopt if the file is truncated.
std::optional<Exemplars> read_exemplars(int descriptor, const Directory& directory) {
  Exemplars out;
  for (const Item& item : directory.items) {
    if (item.entry.exemplar == 0 || !has_cells(item.entry)) continue;
    if (!read_exemplar(descriptor, item, out)) return std::nullopt;
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return out;
}

}  // namespace

std::unique_ptr<SharedCells> SharedCells::open(const std::string& path, std::string& error) {
  // O_NONBLOCK because opening a pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  return of(descriptor, error);
}

std::unique_ptr<SharedCells> SharedCells::of(int descriptor, std::string& error) {
  std::unique_ptr<SharedCells> out(new SharedCells(descriptor));
  error = out->check_header();
  return error.empty() ? std::move(out) : nullptr;
}

SharedCells::~SharedCells() { ::close(descriptor_); }

// Returns what is wrong with the header, or an empty text. The fields that identify the process must not
// change.
std::string SharedCells::check_header() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return "it is not a regular file";
  Header header{};
  if (!read_at(descriptor_, &header, sizeof header, 0)) return "it is truncated";
  if (header.magic != cell_file::kMagic) return "it is not a file of shared cells";
  if (header.version != cell_file::kVersion)
    return "its version is " + std::to_string(header.version) + ", not " +
           std::to_string(cell_file::kVersion);
  if (header.cpus > cell_file::kCpusMax) return "it has too many CPUs";
  if (static_cast<uint64_t>(status.st_size) !=
      cell_file::kCellsAt + (uint64_t{header.cpus} + 1) * kSharedStride)
    return "its size does not match its header";
  if (header.directory_bytes > cell_file::kCellsAt - cell_file::kDirectoryAt ||
      header.directory_bytes % alignof(Entry) != 0)
    return "its directory has an impossible size";
  if (header.pid == 0 || header.start_ticks == 0) return "it does not identify the process";
  if (is_known_ && (header.pid != pid_ || header.start_ticks != start_ticks_ || header.cpus != cpus_ ||
                    header.directory_bytes < directory_bytes_))
    return "its header has changed";
  if (!is_known_) owner_ = status.st_uid;
  is_known_ = true;
  pid_ = header.pid;
  start_ticks_ = header.start_ticks;
  cpus_ = header.cpus;
  is_of_this_boot_ = header.boot == cell_file::boot_id();
  directory_bytes_ = static_cast<size_t>(header.directory_bytes);
  left_out_ = header.not_entered;
  return {};
}

bool SharedCells::lives() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(descriptor_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) return true;
  const std::string proc = "/proc/" + std::to_string(pid_);
  return is_of_this_boot_ && cell_file::process_start(proc.c_str()) == start_ticks_;
}

std::string SharedCells::read_directory(size_t bytes) {
  directory_.resize(bytes);
  return read_at(descriptor_, directory_.data(), bytes, cell_file::kDirectoryAt) ? "" : "it is truncated";
}

// Reads the sums of the first `cells` cells. Returns what is wrong, or an empty text.
std::string SharedCells::read_sums(size_t cells) {
  const uint64_t shards = uint64_t{cpus_} + 1;
  sums_.assign(cells, 0);
  std::vector<uint64_t> part(std::min(cells, kBlock));
  for (size_t begin = 0; begin < cells; begin += kBlock) {
    const size_t count = std::min(kBlock, cells - begin);
    for (uint64_t shard = 0; shard < shards; ++shard) {
      const uint64_t at = cell_file::kCellsAt + shard * kSharedStride + begin * sizeof(uint64_t);
      if (!read_at(descriptor_, part.data(), count * sizeof(uint64_t), at)) return "it is truncated";
      for (size_t i = 0; i < count; ++i) sums_[begin + i] += part[i];
    }
  }
  return {};
}

std::optional<std::vector<Reading>> SharedCells::read(std::string& error) {
  error = check_header();
  if (error.empty()) error = read_directory(directory_bytes_);
  if (!error.empty()) return std::nullopt;
  Directory before = cell_file::parse_directory(directory_);
  error = std::move(before.error);
  if (!error.empty()) return std::nullopt;
  const size_t cells_end = before.cells_end;
  const uint64_t shards = uint64_t{cpus_} + 1;
  cells_read_ = (cells_end + before.histograms * kCellsPerExtraRead * 2) * shards +
                before.exemplars * kCellsPerExtraRead * 3;
  if (cells_read_ > kCellsReadMax) {
    error = "it has too many cells to read";
    return std::nullopt;
  }
  std::optional<Exemplars> exemplars = read_exemplars(descriptor_, before);
  const std::optional<RecordedByPlace> recorded = read_recorded(descriptor_, shards, before);
  error = exemplars && recorded ? read_sums(cells_end) : "it is truncated";
  std::atomic_thread_fence(std::memory_order_acquire);
  if (error.empty()) error = read_directory(directory_bytes_);
  if (!error.empty()) return std::nullopt;
  Directory after = cell_file::parse_directory(directory_);
  error = std::move(after.error);
  if (!error.empty()) return std::nullopt;
  exemplars_refused_ = exemplars->refused;
  std::vector<Reading> readings;
  for (const Item& item : after.items) {
    const Entry& entry = item.entry;
    if (entry.state == State::kGone) continue;
    const bool is_read = entry.first_cell + cell_file::cells_of(entry) <= cells_end;
    Reading reading;
    reading.name = item.name;
    reading.unit = item.unit;
    reading.help = item.help;
    reading.instance = item.at + 1;
    bool is_possible = is_read || !has_cells(entry);  // an instrument that has ended stays so
    if (is_possible && entry.type == Type::kHistogram) {
      const auto place = recorded->find(item.at);
      is_possible =
          place != recorded->end() && read_histogram(entry, &sums_[entry.first_cell], place->second, reading);
      if (auto exemplar = exemplars->by_place.extract(item.at))
        reading.exemplar = std::move(exemplar.mapped());
    } else if (is_possible) {
      reading.type = Reading::Type::kCounter;
      reading.count = entry.state == State::kLive ? sums_[entry.first_cell] : entry.value;
    }
    if (!is_possible) {
      ++left_out_;
      continue;
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace statmill
