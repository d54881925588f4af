// Queries over the series of naive_test.cc, with what they return, computed by hand.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace statmill::naive {

struct Case {
  std::string query;
  std::set<std::string> want;
  int64_t second = 60;  // after kBegin: all six slots are before it
};

std::vector<Case> naive_cases();

}  // namespace statmill::naive
