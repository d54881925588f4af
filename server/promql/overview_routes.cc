#include "server/promql/overview_routes.h"

#include <array>
#include <span>
#include <utility>

#include "proto/kind_text.h"
#include "server/http/query_response.h"
#include "server/json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 8> kTableParameters = {
    {{"row"}, {"match"}, {"column", true}, {"from"}, {"until"}, {"sort"}, {"limit"}, {"spark"}}};

constexpr std::array<ParameterRule, 5> kChangesParameters = {
    {{"match"}, {"from"}, {"until"}, {"against"}, {"limit"}}};

void append_bucket(std::string& out, const Bucket& bucket) {
  JsonObject one(out);
  one.number("avg", bucket.mean());
  one.number("sd", bucket.stddev());
  one.count("n", bucket.count());
}

void append_warnings(JsonObject& object, uint64_t damaged_frames) {
  if (damaged_frames == 0) return;
  JsonArray(object.key("warnings")).element() +=
      "\"" + std::to_string(damaged_frames) + " damaged frames are missing from the answer\"";
}

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

HttpResponse handle_changes(const Queries& queries, const Clock& clock, const Url& url, QueryControl& control,
                            BodySink& sink) {
  const Timestamp now = clock.wall();
  const auto request = parse_changes_parameters(url, now);
  if (!request) return error_response(request.error());
  const auto answer = queries.changes(*request, now, control);
  if (!answer) return error_response(answer.error());
  return written(sink, kJson, with_cost(changes_json(*answer), control.cost()));
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
    append_warnings(object, table.damaged_frames);
  }
  out.push_back('\n');
  return out;
}

std::string changes_json(const ChangesAnswer& answer) {
  std::string out;
  {
    JsonObject object(out);
    object.number("from", static_cast<double>(answer.from_s));
    object.number("until", static_cast<double>(answer.until_s));
    object.number("was_from", static_cast<double>(answer.was_from_s));
    object.number("was_until", static_cast<double>(answer.was_until_s));
    object.count("selected", answer.selected);
    object.count("compared", answer.compared);
    {
      JsonArray list(object.key("series"));
      for (const ChangesAnswer::Series& series : answer.series) {
        JsonObject one(list.element());
        one.text("name", series.name);
        one.text("kind", kind_text(series.kind));
        one.number("score", series.change.score);
        one.text("by", series.kind == Kind::kDistribution ? "distribution" : "mean");
        if (series.change.deviations) one.number("deviations", *series.change.deviations);
        append_bucket(one.key("was"), series.was);
        append_bucket(one.key("is"), series.is);
      }
    }
    append_warnings(object, answer.damaged_frames);
  }
  out.push_back('\n');
  return out;
}

std::vector<Route> overview_routes(const Queries& queries, const Clock& clock) {
  const auto with = [&queries, &clock](HttpResponse (*handle)(const Queries&, const Clock&, const Url&,
                                                              QueryControl&, BodySink&)) -> QueryHandler {
    return [&queries, &clock, handle](const Url& url, QueryControl& control, BodySink& sink) {
      return handle(queries, clock, url, control, sink);
    };
  };
  return {{"GET",
           "/api/v1/table",
           kTableParameters,
           0,
           {},
           "statistics of series, in a row for each value of a tag",
           Lane::kQuery,
           with(handle_table)},
          {"GET",
           "/api/v1/changes",
           kChangesParameters,
           0,
           {},
           "the series that moved most, against an earlier time",
           Lane::kQuery,
           with(handle_changes)}};
}

}  // namespace statmill
