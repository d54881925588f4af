#include "server/documents/builtin_dashboards.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "server/json.h"

namespace statmill {
namespace {

// Panels are 6 columns wide and 2 rows high, two next to each other.
constexpr size_t kPanelWidth = 6;
constexpr size_t kPanelHeight = 2;

struct Panel {
  std::string_view title;
  std::string_view path;       // of its series
  std::string_view tags = {};  // a glob over what follows the path and `;`, before those of a host
  bool is_heatmap = false;     // of a distribution, with p50 and p99
};

struct Dashboard {
  std::string_view id;
  std::string_view title;
  std::string_view notes;
  // Whose series it has: of all hosts, of the host that the variable `host` names, of the server itself.
  enum class Of { kFleet, kHost, kServer } of;
  std::vector<Panel> panels;
};

std::vector<Dashboard> fleet_and_host() {
  using Of = Dashboard::Of;
  return {
      {"fleet",
       "Fleet",
       "All hosts together.",
       Of::kFleet,
       {{"CPU busy", "host.cpu.busy_percent"},
        {"wait for a CPU", "host.sched.runqueue_wait_ns", "", true},
        {"available memory", "host.memory.available_bytes"},
        {"latency of disks", "host.block.latency_ns", "", true},
        {"traffic", "host.net.bytes"},
        {"segments sent again", "host.tcp.retransmits"}}},
      {"one-host",
       "Host",
       "The most important series of one host.",
       Of::kHost,
       {{"CPU busy", "host.cpu.busy_percent"},
        {"wait for a CPU", "host.sched.runqueue_wait_ns", "", true},
        {"available memory", "host.memory.available_bytes"},
        {"stalled by a resource", "host.psi.stalled_ns"},
        {"latency of disks", "host.block.latency_ns", "", true},
        {"traffic", "host.net.bytes"},
        {"segments sent again", "host.tcp.retransmits"},
        {"tasks that run or wait", "host.load.tasks_running"}}},
  };
}

std::vector<Dashboard> cpu_and_memory() {
  using Of = Dashboard::Of;
  return {
      {"cpu-and-scheduler",
       "CPU and scheduler",
       "",
       Of::kHost,
       {{"CPU busy", "host.cpu.busy_percent"},
        {"CPU time by mode", "host.cpu.time_ns"},
        {"wait for a CPU", "host.sched.runqueue_wait_ns", "", true},
        {"time on a CPU", "host.sched.on_cpu_ns", "", true},
        {"time off a CPU", "host.sched.off_cpu_ns", "", true},
        {"switches", "host.sched.switches"},
        {"migrations", "host.sched.migrations"},
        {"soft interrupts", "host.softirq.duration_ns", "", true},
        {"stalled for CPU", "host.psi.stalled_ns", "*resource=cpu*"},
        {"load", "host.load.average_1m"}}},
      {"memory",
       "Memory",
       "",
       Of::kHost,
       {{"available", "host.memory.available_bytes"},
        {"cached", "host.memory.cached_bytes"},
        {"free swap", "host.memory.swap_free_bytes"},
        {"stalled for memory", "host.psi.stalled_ns", "*resource=memory*"},
        {"page faults from a disk", "host.memory.major_page_faults"},
        {"direct reclaim", "host.memory.direct_reclaim_ns", "", true},
        {"swapped in", "host.memory.swapped_in_bytes"},
        {"killed because memory was exhausted", "host.memory.oom_kills"}}},
  };
}

std::vector<Dashboard> devices_and_programs() {
  using Of = Dashboard::Of;
  return {
      {"disk",
       "Disk",
       "",
       Of::kHost,
       {{"bytes", "host.block.bytes"},
        {"requests", "host.block.operations"},
        {"latency", "host.block.latency_ns", "", true},
        {"wait in the queue", "host.block.queue_wait_ns", "", true},
        {"busy", "host.block.busy_ns"},
        {"requests in the device", "host.block.in_flight"},
        {"errors", "host.block.errors"},
        {"stalled for I/O", "host.psi.stalled_ns", "*resource=io*"}}},
      {"network-and-tcp",
       "Network and TCP",
       "",
       Of::kHost,
       {{"bytes", "host.net.bytes"},
        {"packets", "host.net.packets"},
        {"drops", "host.net.drops"},
        {"errors", "host.net.errors"},
        {"smoothed round trip", "host.tcp.srtt_us", "", true},
        {"time to connect", "host.tcp.connect_ns", "", true},
        {"segments sent again", "host.tcp.retransmits"},
        {"full listen queues", "host.tcp.listen_overflows"}}},
      {"cgroups",
       "Cgroups",
       "",
       Of::kHost,
       {{"CPU time", "host.cgroup.cpu_ns"},
        {"kept off the CPUs by a quota", "host.cgroup.cpu_throttled_ns"},
        {"memory", "host.cgroup.memory_bytes"},
        {"killed because memory was exhausted", "host.cgroup.memory_oom_kills"},
        {"bytes of block devices", "host.cgroup.io_bytes"},
        {"tasks", "host.cgroup.tasks"}}},
      {"programs",
       "Programs",
       "Programs as the kernel sees them, and those that share their counters with the agent.",
       Of::kHost,
       {{"programs started", "host.process.execs"},
        {"tasks that ended", "host.process.exits"},
        {"latency of system calls", "host.syscalls.latency_ns", "", true},
        {"files with counters", "host.agent.program_files"}}},
  };
}

std::vector<Dashboard> statmill_itself() {
  using Of = Dashboard::Of;
  return {
      {"statmill-server",
       "statmill server",
       "What this server reports of itself.",
       Of::kServer,
       {{"accepted samples", "statmill.samples_accepted"},
        {"refused samples", "statmill.samples_refused"},
        {"duration of queries", "statmill.query_ns", "", true},
        {"duration of ticks", "statmill.tick_ns", "", true},
        {"memory of the store", "statmill.store_memory_bytes"},
        {"store on disk", "statmill.store_disk_bytes"},
        {"series", "statmill.series"},
        {"datagrams dropped", "statmill.udp_datagrams_dropped"}}},
      {"statmill-agents",
       "statmill agents",
       "Cost and losses of all agents.",
       Of::kFleet,
       {{"CPU", "host.agent.cpu_percent"},
        {"memory", "host.agent.rss_bytes"},
        {"lines dropped", "host.agent.lines_dropped"},
        {"spool", "host.agent.spool_bytes"},
        {"difference of clocks", "host.agent.clock_difference_s"},
        {"connections after the first", "host.agent.reconnects"}}},
  };
}

// Returns a glob of the panel's series. They have tags, those of the server may have none.
std::string series_of(const Panel& panel, Dashboard::Of of) {
  std::string series(panel.path);
  if (of == Dashboard::Of::kServer) return "{" + series + "," + series + ";*}";
  series += ';';
  series += panel.tags.empty() ? "*" : panel.tags;
  if (of != Dashboard::Of::kHost) return series;
  // Tags are in alphabetical order: `host` comes before `resource`.
  std::string of_host(panel.path);
  of_host += ";*host=$host*";
  if (!panel.tags.empty()) of_host += panel.tags.substr(1);
  return of_host;
}

void append_panel(JsonArray& list, size_t index, const Panel& panel, Dashboard::Of of) {
  JsonObject one(list.element());
  const size_t column = index % 2 * kPanelWidth;
  const size_t row = index / 2 * kPanelHeight;
  one.key("at") += "[" + std::to_string(column) + "," + std::to_string(row) + "," +
                   std::to_string(kPanelWidth) + "," + std::to_string(kPanelHeight) + "]";
  one.text("title", panel.title);
  if (panel.is_heatmap) {
    one.text("kind", "heatmap");
    one.key("stats") += R"(["p50","p99"])";
  }
  JsonArray series(one.key("series"));
  append_json_string(series.element(), series_of(panel, of));
}

std::string text_of(const Dashboard& dashboard) {
  std::string text;
  {
    JsonObject object(text);
    object.count("format", 1);
    object.text("title", dashboard.title);
    object.text("notes", dashboard.notes);
    object.key("vars") +=
        dashboard.of == Dashboard::Of::kHost ? R"([{"name":"host","from":"tag:host"}])" : "[]";
    object.key("time") += R"({"from":"-6h"})";
    JsonArray panels(object.key("panels"));
    for (size_t i = 0; i < dashboard.panels.size(); ++i)
      append_panel(panels, i, dashboard.panels[i], dashboard.of);
  }
  return text;
}

std::vector<BuiltinDashboard> make_all() {
  std::vector<BuiltinDashboard> all;
  for (const auto& group : {fleet_and_host(), cpu_and_memory(), devices_and_programs(), statmill_itself()}) {
    for (const Dashboard& dashboard : group) all.push_back({std::string(dashboard.id), text_of(dashboard)});
  }
  std::ranges::sort(all, {}, &BuiltinDashboard::id);
  return all;
}

}  // namespace

std::span<const BuiltinDashboard> builtin_dashboards() {
  static const std::vector<BuiltinDashboard> all = make_all();
  return all;
}

}  // namespace statmill
