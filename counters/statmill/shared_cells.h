// SharedCells: reads the counters and histograms of another process from the file in which it shares its
// cells (share.h), also after that process died.
//
//   std::string error;
//   const auto cells = statmill::SharedCells::open("/run/statmill/4711-99.cells", error);
//   const bool is_last = !cells->lives();  // checked first: if true, read() returns the final counts
//   const auto readings = cells->read(error);
//
// The file is untrusted: all contents are copied, then checked, then used. It may change or be truncated at
// any time. The cost of reading it is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "statmill/registry.h"

namespace statmill {

// Not thread-safe.
class SharedCells {
 public:
  // Files whose instruments need more cells, added up over all CPUs, are refused. This many are 256 MiB.
  static constexpr uint64_t kCellsReadMax = uint64_t{1} << 25;
  // Each histogram takes two additional reads per CPU, and three for an exemplar; each of these costs as much
  // as reading this many cells.
  static constexpr uint64_t kCellsPerExtraRead = 256;
  // Histograms with a higher count are left out. It is the largest count that a server accepts in a bucket.
  static constexpr uint64_t kHistogramCountMax = (uint64_t{1} << 48) - 1;

  // Returns null if the file cannot be opened or does not contain cells, with the reason in `error`.
  static std::unique_ptr<SharedCells> open(const std::string& path, std::string& error);
  // The same for an open file. Takes ownership of the descriptor, even on failure.
  static std::unique_ptr<SharedCells> of(int descriptor, std::string& error);
  ~SharedCells();
  SharedCells(const SharedCells&) = delete;
  SharedCells& operator=(const SharedCells&) = delete;

  // The process id and the start time (field 22 of /proc/<pid>/stat), as the process itself sees them.
  uint32_t pid() const { return pid_; }
  uint64_t start_ticks() const { return start_ticks_; }
  // The user who owns the file, as of open(): the user of the process, unless root changed it.
  uint32_t owner() const { return owner_; }
  // Returns true if the process may still count: it holds its lock on the file, or /proc shows it. The lock
  // is the only sign of a process in another container.
  bool lives() const;

  // Returns the counters and histograms in the order in which they were created, including those that ended.
  // `instance` identifies each of them permanently. The count of a counter never decreases. A histogram that
  // ended is included until its cells are reused. Texts are valid until the next call. Returns nullopt if the
  // file is damaged, with the reason in `error`. The labels of an exemplar may be any bytes.
  std::optional<std::vector<Reading>> read(std::string& error);
  // Instruments missing in the last read(): they did not fit into the file, or had impossible counts.
  uint64_t left_out() const { return left_out_; }
  // Exemplars that the last read() refused, because they were impossible.
  uint64_t exemplars_refused() const { return exemplars_refused_; }
  // The cost of the last read(), in cells of about 1 ns each; a byte of the directory costs as much as eight.
  uint64_t cost() const { return cells_read_ + directory_.size() * 8; }

 private:
  explicit SharedCells(int descriptor) : descriptor_(descriptor) {}
  std::string check_header();
  std::string read_directory(size_t bytes);
  std::string read_sums(size_t cells);

  const int descriptor_;
  bool is_known_ = false;  // whether the fields up to left_out_ were read before
  uint32_t owner_ = 0;
  uint32_t pid_ = 0;
  uint64_t start_ticks_ = 0;
  uint32_t cpus_ = 0;
  bool is_of_this_boot_ = false;
  size_t directory_bytes_ = 0;
  uint64_t left_out_ = 0;
  uint64_t exemplars_refused_ = 0;
  uint64_t cells_read_ = 0;     // by the last read(), including the cost of additional reads
  std::string directory_;       // as of the last read
  std::vector<uint64_t> sums_;  // by cell, over all CPUs
};

}  // namespace statmill
