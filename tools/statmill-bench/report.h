// Report: measurements on their way out, as a table for people or one JSON object per line for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace statmill {

struct Measurement {
  std::string name;  // "ingest.tcp.live.10k.samples_per_s"
  double value = 0;
  std::string unit;
  uint64_t n = 0;  // how many samples (series, bytes) it is taken over
};

// {"name":...,"value":...,"unit":...,"n":...}, a line each.
std::string measurements_json(const std::vector<Measurement>& measurements);
// With the machine and the build above, since no figure means anything without them.
std::string measurements_table(const std::vector<Measurement>& measurements);

// "10k" of 10000, "2m" of 2000000; other numbers as they are.
std::string short_count(uint64_t count);

// The value below which `percent` of the samples lie, by nearest rank. Requires: some samples.
double percentile(std::vector<double> samples, double percent);

}  // namespace statmill
