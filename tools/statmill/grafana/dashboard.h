// Dashboards for Grafana: what is in them, and how they become Grafana's JSON.
//
// The model is the dashboard JSON of Grafana 10 and later:
// https://grafana.com/docs/grafana/latest/dashboards/ build-dashboards/view-dashboard-json-model/
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace statmill {

// The uid of the data source that all panels ask.
inline constexpr std::string_view kGrafanaSource = "statmill";

enum class GrafanaKind : uint8_t {
  kLines,
  kStack,  // lines on top of each other
  kStat,   // the last value, large
  kTable,  // a row per label set, a column per query; sorted by the first column
};

struct GrafanaQuery {
  std::string_view expr;       // PromQL, with Grafana's variables
  std::string_view legend;     // "{{device}} {{op}}"; in a table, the title of the column
  std::string_view unit = {};  // of the column; only in a table
};

struct GrafanaPanel {
  std::string_view title;
  std::string_view unit;  // of Grafana: "percent", "bytes", "Bps", "ns", "short", ...
  std::vector<GrafanaQuery> queries;
  GrafanaKind kind = GrafanaKind::kLines;
  std::string_view about = {};  // shown at the panel's title
};

struct GrafanaRow {
  std::string_view title;
  std::vector<GrafanaPanel> panels;
};

// A choice above the panels: `$name` in an expression.
struct GrafanaVariable {
  std::string_view name;
  std::string_view label;
  std::string_view query;   // "label_values(SELECTOR, LABEL)"
  bool is_several = false;  // all by default, and any number; for `=~"$name"`
};

struct GrafanaDashboard {
  std::string_view uid;  // also the name of its file
  std::string_view title;
  std::string_view about;
  std::vector<GrafanaVariable> variables;
  std::vector<GrafanaRow> rows;
};

GrafanaDashboard fleet_dashboard();
GrafanaDashboard host_dashboard();
GrafanaDashboard programs_dashboard();
GrafanaDashboard server_dashboard();

// Returns the file that Grafana provisions, with line breaks.
std::string dashboard_json(const GrafanaDashboard& dashboard);

}  // namespace statmill
