// Suite `remote`: the cost of samples that come by Prometheus' remote_write and by OTLP, of known and of new
// series, also in other servers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct RemoteBenchOptions {
  std::vector<std::string> only;  // measures by name; empty: all
  size_t series = 100'000;
  size_t samples_per_request = 2000;  // as Prometheus sends by default
  size_t passes = 20;                 // samples per series; at least 2
  size_t connections = 16;
  size_t rounds = 3;                     // runs of each server, in turn; a figure is the median
  std::vector<std::string> peers;        // to which the same is sent, where they are installed
  std::filesystem::path directory = {};  // for temporary data; empty: the system's directory
};

// "write", "otlp".
std::vector<std::string> remote_measures();

// The servers that receive remote_write. None of Debian's versions receives OTLP.
std::vector<std::string> remote_peers();

// `programs` is the directory of statmilld. Verifies that each server has every sample that was sent.
Result<std::vector<Measurement>> run_remote(const RemoteBenchOptions& options,
                                            const std::filesystem::path& programs);

}  // namespace statmill
