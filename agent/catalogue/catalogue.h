// The catalogue: every family that the agent reports about its host, with unit, help, and the names that
// others have for it. docs/series.md is made from it.
//
// A FamilyName is a path of the catalogue that was found at compile time.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "agent/catalogue/agent_families.h"
#include "agent/catalogue/cpu_families.h"
#include "agent/catalogue/family.h"
#include "agent/catalogue/filesystem_families.h"
#include "agent/catalogue/hardware_families.h"
#include "agent/catalogue/inet_families.h"
#include "agent/catalogue/io_families.h"
#include "agent/catalogue/meminfo_families.h"
#include "agent/catalogue/memory_families.h"
#include "agent/catalogue/network_table_families.h"
#include "agent/catalogue/numa_families.h"
#include "agent/catalogue/process_families.h"
#include "agent/catalogue/socket_families.h"
#include "agent/catalogue/system_families.h"
#include "agent/catalogue/volume_families.h"

namespace statmill {

// Returns null if the catalogue lacks the path. Cost: a pass over the catalogue.
constexpr const Family* find_family(std::string_view path) {
  const auto find = [path](const auto& families) -> const Family* {
    for (const Family& family : families) {
      if (family.path == path) return &family;
    }
    return nullptr;
  };
  const std::array<const Family*, 16> found = {
      find(kAgentFamilies),      find(kBlockFamilies),    find(kCgroupFamilies),       find(kCpuFamilies),
      find(kFilesystemFamilies), find(kHardwareFamilies), find(kInetFamilies),         find(kMeminfoFamilies),
      find(kMemoryFamilies),     find(kNetFamilies),      find(kNetworkTableFamilies), find(kNumaFamilies),
      find(kProcessFamilies),    find(kSocketFamilies),   find(kSystemFamilies),       find(kVolumeFamilies)};
  for (const Family* const family : found) {
    if (family != nullptr) return family;
  }
  return nullptr;
}

// All families, ascending by path.
std::vector<const Family*> all_families();

// Not constexpr: a constant expression that calls it does not compile.
void the_catalogue_has_no_such_family_of_this_kind();

template <Kind kKind>
class FamilyName {
 public:
  consteval FamilyName(const char* path) : family_(find_family(path)) {  // NOLINT(*-explicit-*)
    if (family_ == nullptr || family_->kind != kKind) the_catalogue_has_no_such_family_of_this_kind();
  }
  constexpr const Family& family() const { return *family_; }

 private:
  const Family* family_;
};
using GaugeFamily = FamilyName<Kind::kGauge>;
using EventFamily = FamilyName<Kind::kEvent>;
using DistributionFamily = FamilyName<Kind::kDistribution>;
using CounterFamily = FamilyName<Kind::kCounter>;

// Returns docs/series.md: a table of all families.
std::string series_page();

}  // namespace statmill
