// SharedCells: what another process counts, or had counted when it died, from the file that it shares its
// cells by (share.h).
//
//   std::string error;
//   const auto cells = statmill::SharedCells::open("/run/statmill/4711-99.cells", error);
//   const bool is_last = !cells->lives();  // asked before: then what is read is all there ever will be
//   const auto readings = cells->read(error);
//
// Whoever wrote the file is a stranger: all in it is copied, then checked, then used. It may change or be cut
// short meanwhile, and what it costs to read has a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "statmill/registry.h"

namespace statmill {

// Confined to a thread.
class SharedCells {
 public:
  // Cells of all CPUs that are read at most: 256 MiB. A file whose instruments have more is refused.
  static constexpr uint64_t kCellsReadMax = uint64_t{1} << 25;
  // A histogram takes two more reads of each CPU, which cost as much as so many cells each.
  static constexpr uint64_t kCellsOfARead = 256;
  // A histogram that has counted more is left out: so much is what a server takes for one bucket.
  static constexpr uint64_t kHistogramCountMax = (uint64_t{1} << 48) - 1;

  // None: it is no such file, which `error` says.
  static std::unique_ptr<SharedCells> open(const std::string& path, std::string& error);
  // The same of an open file, which is closed with it.
  static std::unique_ptr<SharedCells> of(int descriptor, std::string& error);
  ~SharedCells();
  SharedCells(const SharedCells&) = delete;
  SharedCells& operator=(const SharedCells&) = delete;

  // As the process itself knows them.
  uint32_t pid() const { return pid_; }
  uint64_t start_ticks() const { return start_ticks_; }
  // Whether the process may still count: it holds its lock on the file or is found in /proc. A process of
  // another container shows by its lock alone.
  bool lives() const;

  // Counters and histograms, also those that have ended, in the order in which they were made; `instance`
  // tells apart those of one name, and is one's for ever. A counter never falls. A histogram that has ended
  // is among them until its cells are another's. Names are valid until the next call. None: the file is
  // damaged, which `error` says.
  std::optional<std::vector<Reading>> read(std::string& error);
  // As of the last read(): instruments that found no room in the file, and histograms with impossible counts.
  uint64_t left_out() const { return left_out_; }
  // What that took, in cells of 1 ns: a byte of the directory takes as long as eight.
  uint64_t cost() const { return cells_read_ + directory_.size() * 8; }

 private:
  explicit SharedCells(int descriptor) : descriptor_(descriptor) {}
  std::string check_header();
  std::string read_directory(size_t bytes);
  std::string read_sums(size_t cells);

  const int descriptor_;
  bool is_known_ = false;  // what follows was read before
  uint32_t pid_ = 0;
  uint64_t start_ticks_ = 0;
  uint32_t cpus_ = 0;
  bool is_of_this_boot_ = false;
  size_t directory_bytes_ = 0;
  uint64_t left_out_ = 0;
  uint64_t cells_read_ = 0;     // by the last read(), in time
  std::string directory_;       // as read last
  std::vector<uint64_t> sums_;  // of all CPUs, by cell
};

}  // namespace statmill
