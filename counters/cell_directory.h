// The directory of a file of shared cells (cell_file.h), as a reader finds it. It is a stranger's: all of it
// is checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "counters/cell_file.h"

namespace statmill::cell_file {

// An instrument.
struct Item {
  size_t at = 0;  // in the directory
  Entry entry{};
  std::string_view name;
};

// Whether cells are read for it.
bool has_cells(const Entry& entry);

struct Directory {
  std::vector<Item> items;
  size_t cells_end = 0;   // behind the last that any has
  size_t histograms = 0;  // that have cells
  std::string error;
};

// Its names are views into `bytes`. `error`, unless empty, says what cannot be; then the rest does not
// matter.
Directory parse_directory(std::string_view bytes);

}  // namespace statmill::cell_file
