#include "tools/statmill/grafana/dashboard.h"

namespace statmill {

GrafanaDashboard programs_dashboard() {
  const GrafanaRow programs = {
      "Programs",
      {{"CPUs, top 10",
        "short",
        {{R"(topk(10, sum by (program) (rate({"host.program.cpu_ns",host=~"$host"}[$__rate_interval])) / 1e9))",
          "{{program}}"}},
        GrafanaKind::kStack},
       {"memory, top 10",
        "bytes",
        {{R"(topk(10, sum by (program) ({"host.program.resident_bytes",host=~"$host"})))", "{{program}}"}},
        GrafanaKind::kStack},
       {"processes, top 10",
        "short",
        {{R"(topk(10, sum by (program) ({"host.program.processes",host=~"$host"})))", "{{program}}"}}},
       {"threads, top 10",
        "short",
        {{R"(topk(10, sum by (program) ({"host.program.threads",host=~"$host"})))", "{{program}}"}}}}};
  const GrafanaRow cgroups = {
      "Cgroups",
      {{"CPUs, top 10",
        "short",
        {{R"(topk(10, sum by (host, cgroup) (rate({"host.cgroup.cpu_ns",host=~"$host"}[$__rate_interval])) / 1e9))",
          "{{host}} {{cgroup}}"}}},
       {"S: wait for a CPU, top 10",
        "percentunit",
        {{R"(topk(10, sum by (host, cgroup) (rate({"host.cgroup.runqueue_wait_ns",host=~"$host"}[$__rate_interval])) / 1e9))",
          "{{host}} {{cgroup}}"}}},
       {"memory, top 10",
        "bytes",
        {{R"(topk(10, sum by (host, cgroup) ({"host.cgroup.memory_bytes",host=~"$host"})))",
          "{{host}} {{cgroup}}"}}},
       {"I/O, top 10",
        "Bps",
        {{R"(topk(10, sum by (host, cgroup) (rate({"host.cgroup.io_bytes",host=~"$host"}[$__rate_interval]))))",
          "{{host}} {{cgroup}}"}}},
       {"E: throttled, top 10",
        "percentunit",
        {{R"(topk(10, sum by (host, cgroup) (rate({"host.cgroup.cpu_throttled_ns",host=~"$host"}[$__rate_interval])) / 1e9))",
          "{{host}} {{cgroup}}"}}},
       {"E: killed for lack of memory",
        "cps",
        {{R"(topk(10, sum by (host, cgroup) (rate({"host.cgroup.memory_oom_kills",host=~"$host"}[$__rate_interval])) > 0))",
          "{{host}} {{cgroup}}"}}}}};
  return {.uid = "statmill-programs",
          .title = "statmill: programs",
          .about = "Which programs and which cgroups use the hosts, and which of them wait.",
          .variables = {{"host", "hosts", R"(label_values({"host.cpu.busy_percent"}, host))", true}},
          .rows = {programs, cgroups}};
}

}  // namespace statmill
