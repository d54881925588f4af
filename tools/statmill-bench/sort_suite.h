// Suite `sort`: the cost of sorting the series of a tick by id, with the radix sort of base/ and with library
// functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct SortOptions {
  std::vector<std::string> only;  // measures by name; empty: all
  size_t runs = 21;               // per measure and way to sort, in turn; the medians are reported
};

// "sparse_25k", ...
std::vector<std::string> sort_measures();

// Runs in this process; starts none of `programs`.
Result<std::vector<Measurement>> run_sort(const SortOptions& options, const std::filesystem::path& programs);

}  // namespace statmill
