// Report: prints measurements as a table for people, or as one JSON object per line for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace statmill {

struct Measurement {
  std::string name;  // "ingest.tcp.live.10k.samples_per_s"
  double value = 0;
  std::string unit;
  uint64_t n = 0;  // the number of samples (series, bytes) measured
};

// Returns one line {"name":...,"value":...,"unit":...,"n":...} per measurement.
std::string measurements_json(const std::vector<Measurement>& measurements);
// Returns a table with a heading that describes the machine and the build: no figure means anything without
// them.
std::string measurements_table(const std::vector<Measurement>& measurements);

// Returns "10k" for 10000 and "2m" for 2000000; other numbers in full.
std::string short_count(uint64_t count);

// Returns the percentile by nearest rank. Requires: at least one sample.
double percentile(std::vector<double> samples, double percent);

}  // namespace statmill
