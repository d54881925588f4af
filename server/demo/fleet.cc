#include "server/demo/fleet.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "server/demo/noise.h"

namespace statmill {
namespace {

struct Group {
  std::string_view role;
  size_t count;   // named after the role, in fra and ams
  size_t in_lab;  // named lab1, lab2, ...
  int64_t cpus;   // of the larger half; the others have half as many
};
constexpr std::array<Group, 6> kGroups = {{{"web", 16, 4, 8},
                                           {"db", 6, 2, 32},
                                           {"cache", 5, 1, 16},
                                           {"queue", 3, 1, 8},
                                           {"batch", 7, 1, 16},
                                           {"edge", 3, 1, 8}}};
constexpr size_t kCycle = 50;  // hosts of all groups

constexpr std::array<std::string_view, 11> kWithStory = {
    "db3", "web7", "cache2", "batch4", "queue1", "web12", "edge2", "batch1", "web3", "lab3", "lab10"};

DemoHost make_host(std::string label, std::string_view dc, const Group& group, size_t number, uint64_t seed) {
  DemoHost host;
  host.name = label + ".example.org";
  host.label = std::move(label);
  host.dc = dc;
  host.role = group.role;
  host.is_lab = dc == "lab";
  host.is_batch = group.role == "batch";
  host.cpus = number % 2 == 0 ? group.cpus : group.cpus / 2;
  host.key = mixed(hash_name(host.name) ^ seed);
  return host;
}

// Adds the hosts number 50 `cycle` to 50 `cycle` + 49.
void add_cycle(std::vector<DemoHost>& hosts, size_t cycle, uint64_t seed) {
  size_t lab = cycle * 10;
  size_t outside = 0;
  for (const Group& group : kGroups) {
    for (size_t i = 1; i <= group.count; ++i) {
      const size_t number = cycle * group.count + i;
      const std::string_view dc = outside++ % 5 < 3 ? "fra" : "ams";
      hosts.push_back(make_host(std::string(group.role) + std::to_string(number), dc, group, number, seed));
    }
    for (size_t i = 0; i < group.in_lab; ++i) {
      ++lab;
      hosts.push_back(make_host("lab" + std::to_string(lab), "lab", group, lab, seed));
    }
  }
}

void add_absences(DemoHost& host, int64_t start_s) {
  if (host.label == "web7") host.absences.push_back({start_s - kAwayAgo, start_s - kAwayAgo + kAwaySeconds});
  if (host.label == "cache2")
    host.absences.push_back({start_s - kLossAgo, start_s - kLossAgo + kLossSeconds});
  if (host.label == "batch4") {
    host.absences.push_back({start_s - kRestartAgo, start_s - kRestartAgo + kRestartSeconds});
  }
}

}  // namespace

std::vector<DemoHost> make_fleet(const DemoOptions& options, int64_t start_s) {
  std::vector<DemoHost> hosts;
  for (size_t cycle = 0; hosts.size() < std::max(options.hosts, kCycle); ++cycle)
    add_cycle(hosts, cycle, options.seed);
  std::ranges::stable_sort(hosts, {}, [](const DemoHost& host) {
    return std::ranges::find(kWithStory, host.label) - kWithStory.begin();
  });
  hosts.resize(options.hosts);
  for (DemoHost& host : hosts) add_absences(host, start_s);
  return hosts;
}

}  // namespace statmill
