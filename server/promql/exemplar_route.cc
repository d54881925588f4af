#include "server/promql/exemplar_route.h"

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/stage.h"
#include "server/http/answer_json.h"
#include "server/http/list_writer.h"
#include "server/json.h"
#include "server/promql/parser.h"
#include "server/promql/plan_builder.h"
#include "server/promql/prometheus_json.h"
#include "server/promql/prometheus_parameters.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 4> kParameters = {{{"query"}, {"start"}, {"end"}, {"limit"}}};

// Returns the selectors in the query, with and without a range.
std::vector<std::vector<LabelMatcher>> selectors_of(const promql::SyntaxTree& tree) {
  std::vector<std::vector<LabelMatcher>> out;
  for (const promql::Node& node : tree.nodes) {
    if (const auto* selector = std::get_if<promql::Selector>(&node.expression))
      out.push_back(promql::matchers_of(*selector));
    if (const auto* range = std::get_if<promql::RangeSelector>(&node.expression))
      out.push_back(promql::matchers_of(range->selector));
  }
  return out;
}

Result<ExemplarsRequest> parse_request(const Url& url) {
  ExemplarsRequest request;
  const Result<ApiRange> range = parse_api_range(url);
  if (!range) return range.error();
  request.start_ms = range->start_ms;
  request.end_ms = range->end_ms;
  const Result<size_t> limit = parse_limit(url, kExemplarsAnsweredMax);
  if (!limit) return limit.error();
  request.limit = *limit;
  const auto tree = promql::parse_promql(url.find("query").value_or(""));
  if (!tree) return Error{ErrorCode::kInvalid, "invalid parameter \"query\": " + tree.error().message};
  request.selectors = selectors_of(*tree);
  return request;
}

// {"labels":{"trace_id":"..."},"value":"6","timestamp":1600096945.479}
void append_exemplar(std::string& out, const StoredExemplar& exemplar) {
  JsonObject object(out);
  {
    JsonObject labels(object.key("labels"));
    for (const auto& [name, value] : exemplar.labels) labels.text(name, value);
  }
  std::string& value = object.key("value");
  value += '"';
  append_number_text(value, exemplar.value);
  value += '"';
  append_seconds(object.key("timestamp"), exemplar.time_ms);
}

void append_series(std::string& out, const SeriesExemplars& series) {
  JsonObject object(out);
  append_labels_json(object.key("seriesLabels"), series.labels);
  JsonArray exemplars(object.key("exemplars"));
  for (const StoredExemplar& exemplar : series.exemplars) append_exemplar(exemplars.element(), exemplar);
}

HttpResponse handle(const ExemplarsSources& sources, const Url& url, QueryControl& control, BodySink& sink) {
  const auto request = parse_request(url);
  if (!request) return prometheus_error(PrometheusError::kBadData, request.error().message);
  QueryNotes notes;
  const auto all = read_exemplars(sources, *request, control, notes);
  if (!all) return evaluation_error(all.error());
  const InStage stage(Stage::kPrint);
  ListWriter answer(sink, R"({"status":"success","data":[)");
  Status written;
  for (const SeriesExemplars& series : *all) {
    written = answer.add([&](std::string& out) { append_series(out, series); });
    if (!written) return evaluation_error(written.error());
  }
  std::string tail = "]";
  append_notes(tail, notes);
  written = answer.end(tail + "}\n");
  return written ? HttpResponse{} : evaluation_error(written.error());
}

}  // namespace

Route exemplar_route(const ExemplarsSources& sources) {
  return prometheus_route(
      "/prometheus/api/v1/query_exemplars", kParameters,
      [sources](const Url& url, QueryControl& control, BodySink& sink) {
        return handle(sources, url, control, sink);
      },
      "the exemplars of the series that a query selects");
}

}  // namespace statmill
