#include "tools/statmill/grafana/dashboard.h"

namespace statmill {
namespace {

GrafanaRow cpu() {
  return {
      "CPU",
      {{"U: busy", "percent", {{R"({"host.cpu.busy_percent",host="$host"})", "busy"}}},
       {"S: wait for a CPU",
        "ns",
        {{R"(histogram_quantile(0.5, sum(rate({"host.sched.runqueue_wait_ns",host="$host"}[$__rate_interval]))))",
          "p50"},
         {R"(histogram_quantile(0.99, sum(rate({"host.sched.runqueue_wait_ns",host="$host"}[$__rate_interval]))))",
          "p99"},
         {R"(histogram_quantile(0.999, sum(rate({"host.sched.runqueue_wait_ns",host="$host"}[$__rate_interval]))))",
          "p99.9"}},
        GrafanaKind::kLines,
        "How long tasks that could run waited for a CPU, of all their waits."},
       {"U: CPUs by mode",
        "short",
        {{R"(sum by (mode) (rate({"host.cpu.time_ns",host="$host",mode!="idle"}[$__rate_interval])) / 1e9)",
          "{{mode}}"}},
        GrafanaKind::kStack},
       {"S: pressure",
        "percentunit",
        {{R"(rate({"host.psi.stalled_ns",host="$host",resource="cpu"}[$__rate_interval]) / 1e9)",
          "{{type}}"}},
        GrafanaKind::kLines,
        "The share of time in which some task, or all of them, waited."},
       {"S: load and tasks that run",
        "short",
        {{R"({"host.load.average_1m",host="$host"})", "load, 1 minute"},
         {R"({"host.load.tasks_running",host="$host"})", "run"},
         {R"({"host.load.tasks_blocked",host="$host"})", "wait for a device"}}},
       {"E: processes that failed or were killed",
        "cps",
        {{R"(rate({"host.process.exits",host="$host",result=~"failed|killed"}[$__rate_interval]))",
          "{{result}}"}}}}};
}

GrafanaRow memory() {
  return {
      "Memory",
      {{"U: used",
        "percentunit",
        {{R"(1 - {"host.memory.available_bytes",host="$host"} / ignoring(__name__) {"host.memory.total_bytes",host="$host"})",
          "used"}}},
       {"S: pressure",
        "percentunit",
        {{R"(rate({"host.psi.stalled_ns",host="$host",resource="memory"}[$__rate_interval]) / 1e9)",
          "{{type}}"}}},
       {"U: where it is",
        "bytes",
        {{R"({"host.memory.slab_bytes",host="$host"})", "slab"},
         {R"({"host.memory.buffers_bytes",host="$host"})", "buffers"},
         {R"({"host.memory.cached_bytes",host="$host"})", "cached"},
         {R"({"host.memory.free_bytes",host="$host"})", "free"}},
        GrafanaKind::kStack},
       {"S: swapped and paged in",
        "Bps",
        {{R"(rate({"host.memory.swapped_in_bytes",host="$host"}[$__rate_interval]))", "swapped in"},
         {R"(rate({"host.memory.swapped_out_bytes",host="$host"}[$__rate_interval]))", "swapped out"},
         {R"(rate({"host.memory.paged_in_bytes",host="$host"}[$__rate_interval]))", "paged in"}}},
       {"S: major page faults",
        "cps",
        {{R"(rate({"host.memory.major_page_faults",host="$host"}[$__rate_interval]))", "faults"}}},
       {"E: killed for lack of memory",
        "cps",
        {{R"(rate({"host.memory.oom_kills",host="$host"}[$__rate_interval]))", "kills"}}}}};
}

GrafanaRow disk() {
  return {
      "Disks",
      {{"U: busy",
        "percentunit",
        {{R"(sum by (device) (rate({"host.block.busy_ns",host="$host",device=~"$device"}[$__rate_interval])) / 1e9)",
          "{{device}}"}}},
       {"S: p99 of the latency",
        "ns",
        {{R"(histogram_quantile(0.99, sum by (device, op) (rate({"host.block.latency_ns",host="$host",device=~"$device"}[$__rate_interval]))))",
          "{{device}} {{op}}"}}},
       {"U: bytes",
        "Bps",
        {{R"(rate({"host.block.bytes",host="$host",device=~"$device"}[$__rate_interval]))",
          "{{device}} {{op}}"}}},
       {"U: operations",
        "iops",
        {{R"(rate({"host.block.operations",host="$host",device=~"$device"}[$__rate_interval]))",
          "{{device}} {{op}}"}}},
       {"S: pressure",
        "percentunit",
        {{R"(rate({"host.psi.stalled_ns",host="$host",resource="io"}[$__rate_interval]) / 1e9)",
          "{{type}}"}}},
       {"E: errors",
        "cps",
        {{R"(rate({"host.block.errors",host="$host",device=~"$device"}[$__rate_interval]))",
          "{{device}} {{op}}"}}},
       {"U: space used",
        "percentunit",
        {{R"(1 - sum by (mount) ({"host.filesystem.available_bytes",host="$host"}) / sum by (mount) ({"host.filesystem.size_bytes",host="$host"}))",
          "{{mount}}"}}},
       {"U: inodes used",
        "percentunit",
        {{R"(1 - sum by (mount) ({"host.filesystem.inodes_free",host="$host"}) / sum by (mount) ({"host.filesystem.inodes",host="$host"}))",
          "{{mount}}"}}}}};
}

GrafanaRow network() {
  return {
      "Network",
      {{"U: bytes",
        "Bps",
        {{R"(rate({"host.net.bytes",host="$host",device=~"$interface"}[$__rate_interval]))",
          "{{device}} {{direction}}"}}},
       {"S: drops",
        "cps",
        {{R"(rate({"host.net.drops",host="$host",device=~"$interface"}[$__rate_interval]))",
          "{{device}} {{direction}}"}}},
       {"U: packets",
        "pps",
        {{R"(rate({"host.net.packets",host="$host",device=~"$interface"}[$__rate_interval]))",
          "{{device}} {{direction}}"}}},
       {"E: errors",
        "cps",
        {{R"(rate({"host.net.errors",host="$host",device=~"$interface"}[$__rate_interval]))",
          "{{device}} {{direction}}"}}},
       {"S: TCP round trip time",
        "µs",
        {{R"(histogram_quantile(0.5, sum(rate({"host.tcp.srtt_us",host="$host"}[$__rate_interval]))))",
          "p50"},
         {R"(histogram_quantile(0.99, sum(rate({"host.tcp.srtt_us",host="$host"}[$__rate_interval]))))",
          "p99"}}},
       {"S: TCP retransmits",
        "cps",
        {{R"(rate({"host.tcp.retransmits",host="$host"}[$__rate_interval]))", "retransmits"},
         {R"(rate({"host.tcp.timeouts",host="$host"}[$__rate_interval]))", "timeouts"}}},
       {"U: TCP connections opened",
        "cps",
        {{R"(rate({"host.tcp.active_opens",host="$host"}[$__rate_interval]))", "to others"},
         {R"(rate({"host.tcp.passive_opens",host="$host"}[$__rate_interval]))", "from others"}}},
       {"E: TCP connections failed, reset, dropped",
        "cps",
        {{R"(rate({"host.tcp.connects_failed",host="$host"}[$__rate_interval]))", "failed"},
         {R"(rate({"host.tcp.resets_sent",host="$host"}[$__rate_interval]))", "resets sent"},
         {R"(rate({"host.tcp.listen_drops",host="$host"}[$__rate_interval]))", "dropped by a full queue"}}}}};
}

}  // namespace

GrafanaDashboard host_dashboard() {
  return {
      .uid = "statmill-host",
      .title = "statmill: host",
      .about = "One host, resource by resource: how busy it is (U), what waits for it (S), what fails (E).",
      .variables = {{"host", "host", R"(label_values({"host.cpu.busy_percent"}, host))"},
                    {"device", "disk", R"(label_values({"host.block.busy_ns",host="$host"}, device))", true},
                    {"interface", "interface", R"(label_values({"host.net.bytes",host="$host"}, device))",
                     true}},
      .rows = {cpu(), memory(), disk(), network()}};
}

}  // namespace statmill
