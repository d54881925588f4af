// The families of the demo: what its hosts and programs report, and in which range.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "agent/catalogue/family.h"

namespace statmill {

// The series of one family, or some of them, and how their values follow the load of their host, which is
// between 0 and 1.
struct DemoFamily {
  const Family* family = nullptr;  // its path, kind, unit and help
  // The values of its first and its second tag, separated by commas, of which there is a series for each
  // combination. "#": the numbers of the CPUs.
  std::string_view first{};
  std::string_view second{};
  std::string_view second_tag{};  // the key of `second`; empty: that of the family's second tag
  double level = 0;               // without load; per second if the kind is event or counter
  double gain = 0;                // how much full load adds
  double noise = 0.2;             // relative
  int8_t decimals = 0;            // how many digits the values have after the point
  bool is_per_cpu = false;        // level and gain are for one CPU
  // Distributions: `level` and `gain` are of the median, the values are lognormal with this sigma.
  double sigma = 0;
  double samples = 0;  // a second
};

std::span<const DemoFamily> host_families();
std::span<const DemoFamily> shop_families();  // the families of programs
std::span<const DemoFamily> job_families();   // those of the cgroups that come and go

const DemoFamily& stock_family();  // the one of the names of --demo.names

// Unit and help of those families that the agent's catalogue lacks.
std::span<const Family> shop_metadata();

}  // namespace statmill
