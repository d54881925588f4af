#include "tools/statmill/grafana/dashboard.h"

namespace statmill {
namespace {

GrafanaRow samples() {
  return {
      "Samples",
      {{"accepted, by listener",
        "cps",
        {{R"(sum by (listener) (rate({"statmill.samples_accepted"}[$__rate_interval])))", "{{listener}}"}},
        GrafanaKind::kStack},
       {"refused, by reason",
        "cps",
        {{R"(sum by (listener, reason) (rate({"statmill.samples_refused"}[$__rate_interval])) > 0)",
          "{{listener}} {{reason}}"}},
        GrafanaKind::kLines,
        "`statmill rejects` shows the last lines that were refused, and who sent them."},
       {"series", "short", {{R"({"statmill.active_series"})", "active"}, {R"({"statmill.series"})", "all"}}},
       {"agents",
        "short",
        {{R"({"statmill.agents_connected"})", "connected"}, {R"({"statmill.agents"})", "known"}}},
       {"lines that agents lost",
        "cps",
        {{R"(rate({"statmill.agent_lines_lost"}[$__rate_interval]))", "lost"}}},
       {"received",
        "Bps",
        {{R"(sum by (listener) (rate({"statmill.received_bytes"}[$__rate_interval])))", "{{listener}}"}},
        GrafanaKind::kStack}}};
}

GrafanaRow work() {
  return {
      "Its work",
      {{"CPUs", "short", {{R"(rate({"statmill.process.cpu_ns"}[$__rate_interval]) / 1e9)", "statmilld"}}},
       {"memory",
        "bytes",
        {{R"({"statmill.process.resident_memory_bytes"})", "resident"},
         {R"({"statmill.pending_bytes"})", "not flushed yet"},
         {R"({"statmill.name_bytes"})", "names"}}},
       {"duration of a tick",
        "ns",
        {{R"(histogram_quantile(0.5, sum(rate({"statmill.tick_ns"}[$__rate_interval]))))", "p50"},
         {R"(histogram_quantile(0.99, sum(rate({"statmill.tick_ns"}[$__rate_interval]))))", "p99"}}},
       {"queries, p99 by endpoint",
        "ns",
        {{R"(histogram_quantile(0.99, sum by (endpoint) (rate({"statmill.query_ns"}[$__rate_interval]))))",
          "{{endpoint}}"}}},
       {"requests, by status",
        "reqps",
        {{R"(sum by (code) (rate({"statmill.http_requests"}[$__rate_interval])))", "{{code}}"}}},
       {"queries now",
        "short",
        {{R"({"statmill.queries_running"})", "run"}, {R"({"statmill.queries_waiting"})", "wait"}}}}};
}

GrafanaRow store() {
  return {"Its store",
          {{"on disk",
            "bytes",
            {{R"({"statmill.store_disk_bytes"})", "store"},
             {R"({"statmill.store_live_bytes"})", "live data"},
             {R"({"statmill.store_compaction_debt_bytes"})", "waits for compaction"}}},
           {"disk free", "bytes", {{R"({"statmill.store_disk_free_bytes"})", "free"}}},
           {"written",
            "Bps",
            {{R"(sum by (by) (rate({"statmill.store_written_bytes"}[$__rate_interval])))", "{{by}}"}}},
           {"duration of a flush",
            "ns",
            {{R"(histogram_quantile(0.99, sum(rate({"statmill.flush_ns"}[$__rate_interval]))))", "p99"}}}}};
}

}  // namespace

GrafanaDashboard server_dashboard() {
  return {.uid = "statmill-server",
          .title = "statmill: server",
          .about = "The server about itself: what it accepts and refuses, what it costs, and its store.",
          .variables = {},
          .rows = {samples(), work(), store()}};
}

}  // namespace statmill
