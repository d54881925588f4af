// Checks that what a call costs is at most a + b * bytes of its input. The bounds of CPU time are far above
// what was was measured, so that no machine misses them; what grows faster than the input exceeds them all
// the same.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>

#include "tests/support/cost_meter.h"

namespace statmill {

// a is kFixedBytes and kFixedNs for all.
inline constexpr double kFixedBytes = 64 << 10;
inline constexpr double kFixedNs = 5e6;

struct CostCase {
  const char* name;
  std::function<std::string(size_t)> input;  // of about that many bytes
  std::function<void(const std::string&)> run;
  double bytes_per_byte;  // b of allocations: about 4 times what was measured
  double ns_per_byte;     // b of CPU time: 20 times or more
  size_t input_max = size_t{256} << 10;
};

inline void PrintTo(const CostCase& one, std::ostream* out) { *out << one.name; }

// Checks the bound at a small and at the largest size.
inline testing::AssertionResult is_linear(const CostCase& one) {
  for (const size_t size : {one.input_max / 16, one.input_max}) {
    const std::string input = one.input(size);
    const Cost cost = cost_of([&] { one.run(input); });
    const auto n = static_cast<double>(input.size());
    const auto bytes = static_cast<double>(cost.bytes);
    const auto ns = static_cast<double>(cost.cpu_ns);
    std::printf("%s: %zu bytes of input, %.2f bytes and %.2f ns per byte\n", one.name, input.size(),
                bytes / n, ns / n);
    if (bytes > kFixedBytes + one.bytes_per_byte * n)
      return testing::AssertionFailure() << one.name << " allocates " << bytes << " bytes for " << n;
    if (ns > kFixedNs + one.ns_per_byte * n)
      return testing::AssertionFailure() << one.name << " takes " << ns << " ns for " << n << " bytes";
  }
  return testing::AssertionSuccess();
}

// The text as often as it fits.
inline std::string repeated(std::string_view text, size_t bytes) {
  std::string out;
  out.reserve(bytes);
  while (out.size() + text.size() <= bytes) out += text;
  return out;
}

// make(0), make(1) and so on, up to that many bytes.
template <class Make>
std::string series_of(size_t bytes, Make make) {
  std::string out;
  for (size_t i = 0; out.size() < bytes; ++i) out += make(std::to_string(i));
  return out;
}

}  // namespace statmill
