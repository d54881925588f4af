#include "server/promql/overview_routes.h"

#include <array>
#include <span>
#include <utility>

#include "server/http/query_response.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 8> kTableParameters = {
    {{"row"}, {"match"}, {"column", true}, {"from"}, {"until"}, {"sort"}, {"limit"}, {"spark"}}};

void append_cells(std::string& out, std::span<const StatTable::Cell> cells) {
  JsonArray list(out);
  for (const StatTable::Cell& cell : cells) {
    std::string& to = list.element();
    if (cell && cell->is_finite()) {
      cell->append_to(to);
    } else {
      to.append("null");
    }
  }
}

HttpResponse handle_table(const Queries& queries, const Clock& clock, const Url& url, QueryControl& control,
                          BodySink& sink) {
  const Timestamp now = clock.wall();
  const auto parameters = parse_table_parameters(url, now);
  if (!parameters) return error_response(parameters.error());
  const auto table = queries.table(parameters->request, now, control);
  if (!table) return error_response(table.error());
  return written(sink, kJson, with_cost(stat_table_json(*table, *parameters), control.cost()));
}

}  // namespace

std::string stat_table_json(const StatTable& table, const TableParameters& parameters) {
  std::string out;
  {
    JsonObject object(out);
    object.number("from", static_cast<double>(table.from_s));
    object.number("until", static_cast<double>(table.until_s));
    object.number("tier", static_cast<double>(table.tier_s));
    object.count("total", table.total);
    {
      JsonArray columns(object.key("columns"));
      for (const std::string& column : parameters.columns) append_json_string(columns.element(), column);
    }
    {
      JsonArray rows(object.key("rows"));
      for (const StatTable::Row& row : table.rows) {
        JsonObject one(rows.element());
        one.text("row", row.row);
        append_cells(one.key("values"), row.values);
        if (parameters.request.spark) append_cells(one.key("spark"), row.spark);
      }
    }
    if (table.damaged_frames > 0) {
      JsonArray(object.key("warnings")).element() +=
          "\"" + std::to_string(table.damaged_frames) + " damaged frames are missing from the answer\"";
    }
  }
  out.push_back('\n');
  return out;
}

std::vector<Route> overview_routes(const Queries& queries, const Clock& clock) {
  return {{"GET",
           "/api/v1/table",
           kTableParameters,
           0,
           {},
           "statistics of series, in a row for each value of a tag",
           Lane::kQuery,
           [&queries, &clock](const Url& url, QueryControl& control, BodySink& sink) {
             return handle_table(queries, clock, url, control, sink);
           }}};
}

}  // namespace statmill
