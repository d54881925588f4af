#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "tools/statmill/grafana/dashboard.h"

namespace statmill {
namespace {

namespace json = boost::json;

// Grafana's grid is 24 columns wide; a row of height is 30 pixels.
constexpr int kGridWidth = 24;
constexpr int kSchema = 39;  // of Grafana 10.4; later versions migrate it

struct Size {
  int width;
  int height;
};

Size size_of(GrafanaKind kind) {
  switch (kind) {
    case GrafanaKind::kStat:
      return {4, 4};
    case GrafanaKind::kTable:
      return {kGridWidth, 11};
    default:
      return {kGridWidth / 2, 8};
  }
}

std::string_view type_of(GrafanaKind kind) {
  if (kind == GrafanaKind::kStat) return "stat";
  return kind == GrafanaKind::kTable ? "table" : "timeseries";
}

json::object source() { return {{"type", "prometheus"}, {"uid", kGrafanaSource}}; }

json::object grid(int x, int y, Size size) {
  return {{"h", size.height}, {"w", size.width}, {"x", x}, {"y", y}};
}

json::array targets_of(const GrafanaPanel& panel) {
  json::array targets;
  const bool is_instant = panel.kind == GrafanaKind::kTable;
  for (size_t i = 0; i < panel.queries.size(); ++i) {
    const GrafanaQuery& query = panel.queries[i];
    targets.push_back(json::object{{"refId", std::string(1, static_cast<char>('A' + i))},
                                   {"datasource", source()},
                                   {"editorMode", "code"},
                                   {"expr", query.expr},
                                   {"legendFormat", query.legend},
                                   {"format", is_instant ? "table" : "time_series"},
                                   {"instant", is_instant},
                                   {"range", !is_instant}});
  }
  return targets;
}

json::object lines_field(const GrafanaPanel& panel) {
  const bool is_stack = panel.kind == GrafanaKind::kStack;
  return {{"unit", panel.unit},
          {"min", 0},
          {"custom",
           json::object{{"drawStyle", "line"},
                        {"lineInterpolation", "linear"},
                        {"lineWidth", 1},
                        {"fillOpacity", is_stack ? 40 : 8},
                        {"showPoints", "auto"},
                        // A slot without samples is a gap.
                        {"spanNulls", false},
                        {"stacking", json::object{{"mode", is_stack ? "normal" : "none"}, {"group", "A"}}}}}};
}

json::object table_override(char letter, const GrafanaQuery& query) {
  return {{"matcher", json::object{{"id", "byName"}, {"options", "Value #" + std::string(1, letter)}}},
          {"properties", json::array{json::object{{"id", "displayName"}, {"value", query.legend}},
                                     json::object{{"id", "unit"}, {"value", query.unit}}}}};
}

json::object host_link() {
  return {{"matcher", json::object{{"id", "byName"}, {"options", "host"}}},
          {"properties", json::array{json::object{
                             {"id", "links"},
                             {"value", json::array{json::object{{"title", "this host"},
                                                                {"url",
                                                                 "/d/statmill-host?var-host=${__value.text}"
                                                                 "&${__url_time_range}"}}}}}}}};
}

void add_table_parts(const GrafanaPanel& panel, json::object& out) {
  json::array overrides = {host_link()};
  for (size_t i = 0; i < panel.queries.size(); ++i)
    overrides.push_back(table_override(static_cast<char>('A' + i), panel.queries[i]));
  out["fieldConfig"] =
      json::object{{"defaults", json::object{{"unit", panel.unit}}}, {"overrides", std::move(overrides)}};
  out["options"] = json::object{
      {"showHeader", true},
      {"sortBy", json::array{json::object{{"displayName", panel.queries[0].legend}, {"desc", true}}}}};
  // One table of all queries, a row for each label set, without the time.
  out["transformations"] =
      json::array{json::object{{"id", "merge"}, {"options", json::object{}}},
                  json::object{{"id", "organize"},
                               {"options", json::object{{"excludeByName", json::object{{"Time", true}}}}}}};
}

json::object options_of(const GrafanaPanel& panel) {
  if (panel.kind == GrafanaKind::kStat)
    return {{"colorMode", "value"},
            {"graphMode", "area"},
            {"reduceOptions", json::object{{"calcs", json::array{"lastNotNull"}}, {"values", false}}}};
  return {{"legend", json::object{{"displayMode", "list"}, {"placement", "bottom"}, {"showLegend", true}}},
          {"tooltip", json::object{{"mode", "multi"}, {"sort", "desc"}}}};
}

json::object panel_json(const GrafanaPanel& panel, int id, json::object place) {
  json::object out = {{"id", id},
                      {"type", type_of(panel.kind)},
                      {"title", panel.title},
                      {"datasource", source()},
                      {"gridPos", std::move(place)},
                      {"targets", targets_of(panel)}};
  if (!panel.about.empty()) out["description"] = panel.about;
  if (panel.kind == GrafanaKind::kTable) {
    add_table_parts(panel, out);
    return out;
  }
  json::object field =
      panel.kind == GrafanaKind::kStat ? json::object{{"unit", panel.unit}} : lines_field(panel);
  out["fieldConfig"] = json::object{{"defaults", std::move(field)}, {"overrides", json::array{}}};
  out["options"] = options_of(panel);
  return out;
}

json::array panels_json(const std::vector<GrafanaRow>& rows) {
  json::array panels;
  int id = 0;
  int y = 0;
  for (const GrafanaRow& row : rows) {
    panels.push_back(json::object{{"id", ++id},
                                  {"type", "row"},
                                  {"title", row.title},
                                  {"collapsed", false},
                                  {"gridPos", grid(0, y++, {kGridWidth, 1})},
                                  {"panels", json::array{}}});
    int x = 0;
    int height = 0;
    for (const GrafanaPanel& panel : row.panels) {
      const Size size = size_of(panel.kind);
      if (x + size.width > kGridWidth) {
        y += height;
        x = height = 0;
      }
      panels.push_back(panel_json(panel, ++id, grid(x, y, size)));
      x += size.width;
      height = std::max(height, size.height);
    }
    y += height;
  }
  return panels;
}

json::object variable_json(const GrafanaVariable& variable) {
  json::object out = {{"type", "query"},
                      {"name", variable.name},
                      {"label", variable.label},
                      {"datasource", source()},
                      {"query", json::object{{"query", variable.query}, {"refId", "variable"}}},
                      {"refresh", 2},  // when the range of time changes
                      {"sort", 1},     // by letters
                      {"includeAll", variable.is_several},
                      {"multi", variable.is_several}};
  if (variable.is_several) {
    out["allValue"] = ".*";
    out["current"] = json::object{{"text", json::array{"All"}}, {"value", json::array{"$__all"}}};
  }
  return out;
}

// Appends a value with two blanks of indent per level, so that a change of a file can be read.
void append(std::string& out, const json::value& value, size_t depth) {
  const auto each = [&](const auto& container, char open, char close, const auto& append_item) {
    if (container.empty()) {
      (out += open) += close;
      return;
    }
    out += open;
    bool is_first = true;
    for (const auto& item : container) {
      out.append(is_first ? "\n" : ",\n").append(2 * (depth + 1), ' ');
      is_first = false;
      append_item(item);
    }
    out.append("\n").append(2 * depth, ' ') += close;
  };
  if (const auto* object = value.if_object()) {
    each(*object, '{', '}', [&](const auto& member) {
      out.append(json::serialize(json::string(member.key()))).append(": ");
      append(out, member.value(), depth + 1);
    });
  } else if (const auto* array = value.if_array()) {
    each(*array, '[', ']', [&](const auto& item) { append(out, item, depth + 1); });
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::string dashboard_json(const GrafanaDashboard& dashboard) {
  json::array variables;
  for (const GrafanaVariable& variable : dashboard.variables) variables.push_back(variable_json(variable));
  const json::object document = {{"uid", dashboard.uid},
                                 {"title", dashboard.title},
                                 {"description", dashboard.about},
                                 {"tags", json::array{"statmill"}},
                                 {"schemaVersion", kSchema},
                                 {"editable", true},
                                 {"graphTooltip", 1},  // one crosshair in all panels
                                 {"refresh", "10s"},
                                 {"time", json::object{{"from", "now-1h"}, {"to", "now"}}},
                                 {"timezone", "browser"},
                                 {"links", json::array{json::object{{"type", "dashboards"},
                                                                    {"title", "statmill"},
                                                                    {"tags", json::array{"statmill"}},
                                                                    {"icon", "external link"},
                                                                    {"tooltip", ""},
                                                                    {"asDropdown", false},
                                                                    {"includeVars", true},
                                                                    {"keepTime", true},
                                                                    {"targetBlank", false}}}},
                                 {"templating", json::object{{"list", std::move(variables)}}},
                                 {"panels", panels_json(dashboard.rows)}};
  std::string out;
  append(out, document, 0);
  return out += "\n";
}

}  // namespace statmill
