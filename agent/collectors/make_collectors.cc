// See make_collectors.h.
#include "agent/collectors/make_collectors.h"

#include <algorithm>
#include <iterator>

#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/programs.h"
#include "base/check.h"

namespace statmill {
namespace {

struct Entry {
  std::string_view name;
  bool is_default;
  std::unique_ptr<Collector> (*make)(const Surroundings& around);
};

// One that reads the text of /proc alone.
template <std::unique_ptr<Collector> (*kMake)(ProcReader&)>
std::unique_ptr<Collector> of_proc(const Surroundings& around) {
  return kMake(around.proc);
}

std::unique_ptr<Collector> make_sched(const Surroundings& around) {
  const BpfSurroundings of_bpf{around.log, around.clock};
  return make_sched_collector(load_sched_probe(of_bpf), of_bpf);
}

// Who only prints must not take from an agent that sends.
std::unique_ptr<Collector> make_programs(const Surroundings& around) {
  return make_programs_collector(
      {.directory = around.config.programs_directory, .removes_files = !around.config.once}, around.clock,
      around.log);
}

constexpr Entry kEntries[] = {
    {"cpu", true, of_proc<make_cpu_collector>},
    {"load", true, of_proc<make_load_collector>},
    {"memory", true, of_proc<make_memory_collector>},
    {"vmstat", true, of_proc<make_vmstat_collector>},
    {"disk", true, of_proc<make_disk_collector>},
    {"network", true, of_proc<make_network_collector>},
    {"psi", true, of_proc<make_psi_collector>},
    {"sched", true, make_sched},
    {"programs", true, make_programs},
};

}  // namespace

std::vector<std::string_view> collector_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

std::vector<std::string_view> default_collector_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) {
    if (entry.is_default) names.push_back(entry.name);
  }
  return names;
}

std::vector<std::unique_ptr<Collector>> make_collectors(const Surroundings& around) {
  std::vector<std::unique_ptr<Collector>> collectors;
  for (const std::string& name : around.config.collectors) {
    const Entry* const entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                            [&](const Entry& candidate) { return candidate.name == name; });
    SM_CHECK(entry != std::end(kEntries));
    collectors.push_back(entry->make(around));
  }
  return collectors;
}

}  // namespace statmill
