// Random series, and random queries that have the right types for them. The same seed gives the same case in
// every run of one build.
//
// A test of an engine stores `series`, asks `query` over `grid`, and compares with evaluate():
//   const RandomCase c = random_case(seed);
//   const auto wanted = evaluate(*parse_promql(c.query), c.series, c.grid, c.setting);
//   const auto found = difference(*wanted, answer_of_the_engine, c.nearness);
// If one side is an error, the other must be one, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/query/naive/naive.h"

namespace statmill::naive {

struct RandomCase {
  std::vector<SampledSeries> series;
  std::string query;
  Grid grid;
  Setting setting;
  // Wide for percentiles of distributions, which are cells of 1.6 %. Queries are such that no rounding moves
  // a point further: nothing branches on a number that is not exact, and no divisor is near zero.
  Nearness nearness;
};

// Series of all kinds, with gaps and silence, several samples in a slot, decimals of all scales and doubles;
// over minutes, sometimes hours, across the edge of a chunk (a multiple of 6 h since 1970).
RandomCase random_case(uint64_t seed);

// "g0;cpu=1;host=a", the canonical name.
std::string canonical_name(const Labels& labels);

}  // namespace statmill::naive
