// Suite `query`: the time of queries over HTTP, from the request to the last byte of its answer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct QueryBenchOptions {
  std::vector<std::string> only;   // measures by name; empty: all
  double scale = 1;                // multiplies the number of series, and the days of the year
  size_t runs = 200;               // requests per warm figure; fewer if they take longer than some seconds
  size_t starts = 9;               // of the server, per cold figure
  std::vector<std::string> peers;  // that are asked the same, where they are installed
  std::filesystem::path directory = {};  // for temporary data; empty: the system's directory
};

// "one24h", "avg100", ..., in the order in which they run.
std::vector<std::string> query_measures();

// `programs` is the directory of statmilld. Errors: those of the server, and kCorrupt for a wrong answer,
// with the name of the measure.
Result<std::vector<Measurement>> run_query(const QueryBenchOptions& options,
                                           const std::filesystem::path& programs);

}  // namespace statmill
