#include "tools/statmill/grafana/dashboard.h"

namespace statmill {
namespace {

GrafanaRow totals() {
  return {
      "Fleet",
      {{"hosts",
        "short",
        {{R"(count(count by (host) ({"host.cpu.busy_percent"})))", ""}},
        GrafanaKind::kStat},
       {"agents connected", "short", {{R"({"statmill.agents_connected"})", ""}}, GrafanaKind::kStat},
       {"CPUs in use",
        "short",
        {{R"(sum(rate({"host.cpu.time_ns",mode!~"idle|iowait"}[$__rate_interval])) / 1e9)", ""}},
        GrafanaKind::kStat},
       {"memory in use",
        "bytes",
        {{R"(sum({"host.memory.total_bytes"}) - sum({"host.memory.available_bytes"}))", ""}},
        GrafanaKind::kStat},
       {"network", "Bps", {{R"(sum(rate({"host.net.bytes"}[$__rate_interval])))", ""}}, GrafanaKind::kStat},
       {"disks", "Bps", {{R"(sum(rate({"host.block.bytes"}[$__rate_interval])))", ""}}, GrafanaKind::kStat}}};
}

GrafanaRow worst() {
  return {
      "The ten hosts with most",
      {{"U: CPU busy", "percent", {{R"(topk(10, avg by (host) ({"host.cpu.busy_percent"})))", "{{host}}"}}},
       {"S: wait for a CPU, p99",
        "ns",
        {{R"(topk(10, histogram_quantile(0.99, sum by (host) (rate({"host.sched.runqueue_wait_ns"}[$__rate_interval])))))",
          "{{host}}"}}},
       {"U: memory used",
        "percentunit",
        {{R"(topk(10, 1 - sum by (host) ({"host.memory.available_bytes"}) / sum by (host) ({"host.memory.total_bytes"})))",
          "{{host}}"}}},
       {"S: memory pressure",
        "percentunit",
        {{R"(topk(10, sum by (host) (rate({"host.psi.stalled_ns",resource="memory",type="some"}[$__rate_interval])) / 1e9))",
          "{{host}}"}}},
       {"U: the busiest disk",
        "percentunit",
        {{R"(topk(10, max by (host) (rate({"host.block.busy_ns"}[$__rate_interval])) / 1e9))", "{{host}}"}}},
       {"S: latency of disks, p99",
        "ns",
        {{R"(topk(10, histogram_quantile(0.99, sum by (host) (rate({"host.block.latency_ns"}[$__rate_interval])))))",
          "{{host}}"}}},
       {"U: network",
        "Bps",
        {{R"(topk(10, sum by (host) (rate({"host.net.bytes"}[$__rate_interval]))))", "{{host}}"}}},
       {"S: TCP retransmits",
        "cps",
        {{R"(topk(10, sum by (host) (rate({"host.tcp.retransmits"}[$__rate_interval]))))", "{{host}}"}}},
       {"U: the fullest filesystem",
        "percentunit",
        {{R"(topk(10, max by (host) (1 - sum by (host, mount) ({"host.filesystem.available_bytes"}) / sum by (host, mount) ({"host.filesystem.size_bytes"}))))",
          "{{host}}"}}},
       {"E: killed for lack of memory",
        "cps",
        {{R"(topk(10, sum by (host) (rate({"host.memory.oom_kills"}[$__rate_interval])) > 0))",
          "{{host}}"}}}}};
}

GrafanaRow all() {
  return {
      "All hosts",
      {{"hosts",
        "short",
        {{R"(avg by (host) ({"host.cpu.busy_percent"}))", "CPU", "percent"},
         {R"(1 - sum by (host) ({"host.memory.available_bytes"}) / sum by (host) ({"host.memory.total_bytes"}))",
          "memory", "percentunit"},
         {R"(max by (host) (rate({"host.block.busy_ns"}[$__rate_interval])) / 1e9)", "disk", "percentunit"},
         {R"(sum by (host) (rate({"host.net.bytes"}[$__rate_interval])))", "network", "Bps"},
         {R"(max by (host) ({"host.load.average_1m"}))", "load", "short"}},
        GrafanaKind::kTable}}};
}

}  // namespace

GrafanaDashboard fleet_dashboard() {
  return {.uid = "statmill-fleet",
          .title = "statmill: fleet",
          .about =
              "All hosts, and the ten with the highest values: by use (U), by what waits (S), by errors (E).",
          .variables = {},
          .rows = {totals(), worst(), all()}};
}

}  // namespace statmill
