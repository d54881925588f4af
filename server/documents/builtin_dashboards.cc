#include "server/documents/builtin_dashboards.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "server/json.h"

namespace statmill {
namespace {

// Panels are 6 columns wide and 2 rows high, two next to each other; tables are as wide as the page.
constexpr size_t kPanelWidth = 6;
constexpr size_t kPanelHeight = 2;
constexpr size_t kTableWidth = 12;
constexpr size_t kTableHeight = 3;

struct Column {
  std::string_view title;
  std::string_view column;  // as of GET /api/v1/table
};

struct Panel {
  std::string_view title;
  std::string_view path;             // of its series; of a table what makes its rows, as `tag:host`
  std::string_view tag = {};         // that the series also have, after the one of a host: `resource=cpu`
  bool is_heatmap = false;           // of a distribution, with p50 and p99
  std::vector<Column> columns = {};  // some: it is a table, sorted by the first one
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
        {"segments sent again", "host.tcp.retransmits"},
        {"hosts",
         "tag:host",
         "",
         false,
         {{"CPU busy", "host.cpu.busy_percent:avg"},
          {"wait for a CPU, p99", "host.sched.runqueue_wait_ns:p99"},
          {"available memory", "host.memory.available_bytes:avg"},
          {"busiest disk", "host.block.busy_ns:rate:max"},
          {"latency of disks, p99", "host.block.latency_ns:p99"},
          {"traffic", "host.net.bytes:rate"},
          {"sent again", "host.tcp.retransmits:rate"}}}}},
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
        {"asleep, mostly for a disk", "host.sched.off_cpu_ns", "reason=disk", true},
        {"off a CPU after a preemption", "host.sched.off_cpu_ns", "reason=preempted", true},
        {"switches", "host.sched.switches"},
        {"migrations", "host.sched.migrations"},
        {"soft interrupts", "host.softirq.duration_ns", "", true},
        {"stalled for CPU", "host.psi.stalled_ns", "resource=cpu"},
        {"load", "host.load.average_1m"}}},
      {"memory",
       "Memory",
       "",
       Of::kHost,
       {{"available", "host.memory.available_bytes"},
        {"cached", "host.memory.cached_bytes"},
        {"free swap", "host.memory.swap_free_bytes"},
        {"stalled for memory", "host.psi.stalled_ns", "resource=memory"},
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
        {"stalled for I/O", "host.psi.stalled_ns", "resource=io"}}},
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
       {{"cgroups",
         "tag:cgroup",
         "",
         false,
         {{"CPU time", "host.cgroup.cpu_ns:rate"},
          {"wait for a CPU", "host.cgroup.runqueue_wait_ns:rate"},
          {"kept off by a quota", "host.cgroup.cpu_throttled_ns:rate"},
          {"memory", "host.cgroup.memory_bytes:avg"},
          {"I/O", "host.cgroup.io_bytes:rate"},
          {"tasks", "host.cgroup.tasks:avg"}}},
        {"CPU time", "host.cgroup.cpu_ns"},
        {"kept off the CPUs by a quota", "host.cgroup.cpu_throttled_ns"},
        {"memory", "host.cgroup.memory_bytes"},
        {"killed because memory was exhausted", "host.cgroup.memory_oom_kills"},
        {"bytes of block devices", "host.cgroup.io_bytes"},
        {"tasks", "host.cgroup.tasks"}}},
      {"programs",
       "Programs",
       "Programs as the kernel sees them, and those that share their counters with the agent.",
       Of::kHost,
       {{"CPU time", "host.program.cpu_ns"},
        {"resident memory", "host.program.resident_bytes"},
        {"processes", "host.program.processes"},
        {"processes by state", "host.process.processes"},
        {"programs started", "host.process.execs"},
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

// Selects the series with a tag by the whole of it. Alternatives cover its place among the other tags.
std::string tag_glob(std::string_view tag) { return "{,*;}" + std::string(tag) + "{,;*}"; }

// Returns a glob of the panel's series. They have tags, those of the server may have none. Tags are in
// alphabetical order: `host` comes before `resource`.
std::string series_of(const Panel& panel, Dashboard::Of of) {
  const std::string path(panel.path);
  if (of == Dashboard::Of::kServer) return "{" + path + "," + path + ";*}";
  std::string tags(of == Dashboard::Of::kHost ? "host=$host" : "");
  if (!panel.tag.empty()) tags.append(tags.empty() ? "" : ";{,*;}").append(panel.tag);
  return path + ";" + (tags.empty() ? "*" : tag_glob(tags));
}

// Sorted by its first column, the greatest first, which it also draws over the range.
void append_table(JsonObject& one, const Panel& panel, Dashboard::Of of) {
  one.text("kind", "table");
  one.text("row", panel.path);
  if (of == Dashboard::Of::kHost) one.text("match", "*;" + tag_glob("host=$host"));
  one.text("sort", "-0");
  one.text("spark", "0");
  JsonArray columns(one.key("columns"));
  for (const Column& column : panel.columns) {
    JsonObject object(columns.element());
    object.text("title", column.title);
    object.text("column", column.column);
  }
}

void append_series(JsonObject& one, const Panel& panel, Dashboard::Of of) {
  if (panel.is_heatmap) {
    one.text("kind", "heatmap");
    one.key("stats") += R"(["p50","p99"])";
  }
  JsonArray series(one.key("series"));
  append_json_string(series.element(), series_of(panel, of));
}

// Panels fill rows of the grid from the left.
class Places {
 public:
  // Returns the place of the next panel, as the key `at` has it.
  std::string next(size_t width, size_t height) {
    if (column_ + width > kTableWidth) start_row();
    const std::string place = "[" + std::to_string(column_) + "," + std::to_string(row_) + "," +
                              std::to_string(width) + "," + std::to_string(height) + "]";
    column_ += width;
    height_ = std::max(height_, height);
    return place;
  }

 private:
  void start_row() {
    row_ += height_;
    column_ = 0;
    height_ = 0;
  }

  size_t column_ = 0;
  size_t row_ = 0;
  size_t height_ = 0;  // of the row
};

void append_panel(JsonArray& list, Places& places, const Panel& panel, Dashboard::Of of) {
  JsonObject one(list.element());
  const bool is_table = !panel.columns.empty();
  one.key("at") += is_table ? places.next(kTableWidth, kTableHeight) : places.next(kPanelWidth, kPanelHeight);
  one.text("title", panel.title);
  if (is_table) {
    append_table(one, panel, of);
  } else {
    append_series(one, panel, of);
  }
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
    Places places;
    for (const Panel& panel : dashboard.panels) append_panel(panels, places, panel, dashboard.of);
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
