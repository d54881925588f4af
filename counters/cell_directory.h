// The directory of a file of shared cells (cell_file.h), as parsed by a reader. The input is untrusted; all
// of it is checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "counters/cell_file.h"

namespace statmill::cell_file {

// One instrument in the directory.
struct Item {
  size_t at = 0;  // the offset of its entry in the directory
  Entry entry{};
  std::string_view name;
  std::string_view unit;
  std::string_view help;
};

// Returns true if the instrument's values are in its cells: it is live, or a histogram that has ended.
bool has_cells(const Entry& entry);

struct Directory {
  std::vector<Item> items;
  size_t cells_end = 0;   // one past the last cell of any instrument
  size_t histograms = 0;  // the number of histograms with cells
  size_t exemplars = 0;   // the number of these that have an exemplar
  std::string error;
};

// Texts are views into `bytes`. If `error` is not empty, the directory is damaged and the other fields are
// undefined.
Directory parse_directory(std::string_view bytes);

}  // namespace statmill::cell_file
