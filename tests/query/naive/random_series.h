// The random series of a random case: five names, of all four kinds.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/query/naive/random_case.h"

namespace statmill::naive {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // In [0, limit). Requires: limit > 0.
  uint64_t below(uint64_t limit) { return engine_() % limit; }
  template <class T, size_t kCount>
  const T& one_of(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

 private:
  std::mt19937_64 engine_;
};

// Half-open, in seconds since 1970.
struct Span {
  int64_t begin_s = 0;
  int64_t end_s = 0;
};

Span random_span(Random& random);
std::vector<SampledSeries> random_series(const Span& span, Random& random);
// The sum of all absolute values, at least 1.
double greatest_of(const std::vector<SampledSeries>& series);

}  // namespace statmill::naive
