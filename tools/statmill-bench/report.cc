#include "tools/statmill-bench/report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "base/check.h"
#include "base/text.h"
#include "tools/statmill/table.h"

namespace statmill {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string machine() {
  utsname system{};
  ::uname(&system);
  return cpu_model() + ", " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " cores, " + system.sysname +
         " " + system.release;
}

std::string for_people(double value) {
  std::array<char, 64> text;
  const int digits = value >= 100 || value == 0 ? 0 : 3;
  const int n = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), static_cast<size_t>(n)};
}

}  // namespace

std::string measurements_json(const std::vector<Measurement>& measurements) {
  std::string out;
  for (const Measurement& m : measurements) {
    out.append("{\"name\":");
    append_json_string(out, m.name);
    out.append(",\"value\":");
    append_number(out, m.value);
    out.append(",\"unit\":");
    append_json_string(out, m.unit);
    out.append(",\"n\":").append(std::to_string(m.n)).append("}\n");
  }
  return out;
}

std::string measurements_table(const std::vector<Measurement>& measurements) {
  TextTable table({{"name"}, {"value", Align::kRight}, {"unit"}, {"n", Align::kRight}});
  for (const Measurement& m : measurements)
    table.add({m.name, for_people(m.value), m.unit, std::to_string(m.n)});
  return "machine  " + machine() + "\nbuild    " STATMILL_BUILD "\n\n" + table.text();
}

std::string short_count(uint64_t count) {
  if (count != 0 && count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + "m";
  if (count != 0 && count % 1000 == 0) return std::to_string(count / 1000) + "k";
  return std::to_string(count);
}

double percentile(std::vector<double> samples, double percent) {
  SM_CHECK(!samples.empty());
  const double rank = std::ceil(percent / 100 * static_cast<double>(samples.size()));
  const auto nth = samples.begin() + std::max<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(rank) - 1);
  std::nth_element(samples.begin(), nth, samples.end());
  return *nth;
}

}  // namespace statmill
