#include "server/promql/prometheus_query_routes.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "base/stage.h"
#include "server/http/answer_json.h"
#include "server/http/list_writer.h"
#include "server/json.h"
#include "server/promql/compile.h"
#include "server/promql/functions.h"
#include "server/promql/literals.h"
#include "server/promql/name_escapes.h"
#include "server/promql/parser.h"
#include "server/promql/prometheus_json.h"
#include "server/promql/prometheus_parameters.h"
#include "server/promql/range_vector.h"
#include "server/query/plan/result.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 4> kInstantParameters = {
    {{"query"}, {"time"}, {"timeout"}, {"lookback_delta"}}};
constexpr std::array<ParameterRule, 6> kRangeParameters = {
    {{"query"}, {"start"}, {"end"}, {"step"}, {"timeout"}, {"lookback_delta"}}};
constexpr std::array<ParameterRule, 4> kCatalogParameters = {{{"match[]"}, {"start"}, {"end"}, {"limit"}}};

HttpResponse bad_data(std::string_view message) {
  return prometheus_error(PrometheusError::kBadData, message);
}

// The response after the answer was written.
HttpResponse answer_of(const Status& status) {
  return status ? HttpResponse{} : evaluation_error(status.error());
}

Result<PlanResult> evaluate(const PrometheusSources& sources, const plan::Plan& plan, const Grid& grid,
                            QueryControl& control) {
  StoredSeries source(sources.series, control, sources.clock.wall());
  return evaluate_plan(source, plan, grid, control);
}

// The text before the first series of a result.
std::string result_head(std::string_view type) {
  return R"({"status":"success","data":{"resultType":")" + std::string(type) + R"(","result":[)";
}

// Ends the list, the `data` around it, and the answer.
Status end_answer(ListWriter& answer, std::string tail, const QueryNotes& notes = {}) {
  append_notes(tail, notes);
  return answer.end(tail + "}\n");
}

HttpResponse write_matrix(PlanResult& result, const Grid& grid, BodySink& sink) {
  const InStage stage(Stage::kPrint);
  if (result.scalar) result.series.push_back({{}, *std::move(result.scalar)});
  ListWriter answer(sink, result_head("matrix"));
  const Status written = for_each_series(result.series, [&](std::span<const SeriesValues> series) {
    return answer.add([&](std::string& out) { append_series(out, series, grid); });
  });
  if (!written) return answer_of(written);
  return answer_of(end_answer(answer, "]}", result.notes));
}

HttpResponse write_vector(const PlanResult& result, int64_t time_ms, BodySink& sink) {
  const InStage stage(Stage::kPrint);
  ListWriter answer(sink, result_head("vector"));
  for (const SeriesValues& series : result.series) {
    if (Status s = answer.add([&](std::string& out) { append_instant(out, series, time_ms); }); !s)
      return answer_of(s);
  }
  return answer_of(end_answer(answer, "]}", result.notes));
}

// {"resultType":"scalar","result":[TIME,"VALUE"]}; of a text, the type is "string".
HttpResponse single_answer(const PlanResult& result, int64_t time_ms) {
  std::string data = R"({"resultType":")";
  data.append(result.text ? "string" : "scalar").append("\",\"result\":[");
  append_seconds(data, time_ms);
  data += ',';
  if (result.text) {
    append_json_string(data, *result.text);
  } else {
    append_value(data, *result.scalar, 0);
  }
  return prometheus_answer(data + "]}", result.notes);
}

struct ParsedQuery {
  promql::SyntaxTree tree;
  promql::CompileOptions options;
  promql::ValueType type() const { return tree.at(tree.root).type; }
};

// Parses the text and `timeout`, which it sets. Errors: kInvalid for a bad parameter.
Result<ParsedQuery> parse_query(const Url& url, const Grid& grid, QueryControl& control) {
  const Result<int64_t> lookback = parse_lookback(url);
  if (!lookback) return lookback.error();
  if (const auto timeout = url.find("timeout"); timeout && !timeout->empty()) {
    const Result<int64_t> ms = parse_api_duration(*timeout);
    if (!ms || *ms <= 0)
      return Error{ErrorCode::kInvalid,
                   "invalid parameter \"timeout\": cannot parse it to a positive duration"};
    control.lower_timeout(Duration(*ms));
  }
  auto tree = promql::parse_promql(url.find("query").value_or(""));
  if (!tree) return Error{ErrorCode::kInvalid, "invalid parameter \"query\": " + tree.error().message};
  return ParsedQuery{*std::move(tree),
                     {.start_ms = grid.start_ms, .end_ms = grid.end_ms, .lookback_ms = *lookback}};
}

// `error`: kUnavailable for a function that is not computed.
HttpResponse refusal_of(const Error& error) {
  return error.code == ErrorCode::kUnavailable ? prometheus_error(PrometheusError::kExecution, error.message)
                                               : bad_data(error.message);
}

HttpResponse handle_range(const PrometheusSources& sources, const Url& url, QueryControl& control,
                          BodySink& sink) {
  const Result<Grid> grid = parse_range(url);
  if (!grid) return bad_data(grid.error().message);
  const auto query = parse_query(url, *grid, control);
  if (!query) return bad_data(query.error().message);
  if (query->type() != promql::ValueType::kScalar && query->type() != promql::ValueType::kVector)
    return bad_data("invalid parameter \"query\": invalid expression type " +
                    promql::quoted_text(promql::documented_name(query->type())) +
                    " for range query, must be Scalar or instant Vector");
  const auto plan = promql::compile(query->tree, query->options);
  if (!plan) return refusal_of(plan.error());
  auto result = evaluate(sources, *plan, *grid, control);
  if (!result) return evaluation_error(result.error());
  return write_matrix(*result, *grid, sink);
}

// The samples of a range vector.
HttpResponse answer_range_vector(const PrometheusSources& sources, const ParsedQuery& query,
                                 QueryControl& control, BodySink& sink) {
  const Tiers& tiers = sources.series.retention.get().tiers();
  const auto range = compile_range_vector(query.tree, query.options, tiers, sources.clock.wall());
  if (!range) return refusal_of(range.error());
  PlanResult none;
  if (!*range) return write_matrix(none, {}, sink);
  auto result = evaluate(sources, (*range)->plan, (*range)->points, control);
  if (!result) return evaluation_error(result.error());
  return write_matrix(*result, (*range)->times, sink);
}

HttpResponse handle_instant(const PrometheusSources& sources, const Url& url, QueryControl& control,
                            BodySink& sink) {
  const Result<int64_t> time = parse_instant(url, sources.clock.wall());
  if (!time) return bad_data(time.error().message);
  const Grid grid{.start_ms = *time, .end_ms = *time, .step_ms = 1};
  const auto query = parse_query(url, grid, control);
  if (!query) return bad_data(query.error().message);
  if (query->type() == promql::ValueType::kMatrix) return answer_range_vector(sources, *query, control, sink);
  const auto plan = promql::compile(query->tree, query->options);
  if (!plan) return refusal_of(plan.error());
  const auto result = evaluate(sources, *plan, grid, control);
  if (!result) return evaluation_error(result.error());
  if (result->scalar || result->text) return single_answer(*result, *time);
  return write_vector(*result, *time, sink);
}

// The answer of a search of the catalog: a list, whose elements `append` appends.
template <class Element, class Append>
HttpResponse list_answer(const Result<std::vector<Element>>& elements, BodySink& sink, const Append& append) {
  if (!elements) return evaluation_error(elements.error());
  ListWriter answer(sink, R"({"status":"success","data":[)");
  for (const Element& element : *elements) {
    if (Status s = answer.add([&](std::string& out) { append(out, element); }); !s) return answer_of(s);
  }
  return answer_of(end_answer(answer, "]"));
}

HttpResponse handle_series(const PrometheusSources& sources, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const auto request = parse_catalog_request(url);
  if (!request) return bad_data(request.error().message);
  if (request->selectors.empty()) return bad_data("no match[] parameter provided");
  return list_answer(sources.catalog.series(*request, control), sink, append_labels_json);
}

HttpResponse handle_labels(const PrometheusSources& sources, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const auto request = parse_catalog_request(url);
  if (!request) return bad_data(request.error().message);
  return list_answer(sources.catalog.label_names(*request, control), sink, append_json_string);
}

HttpResponse handle_label_values(const PrometheusSources& sources, const Url& url, QueryControl& control,
                                 BodySink& sink) {
  const auto request = parse_catalog_request(url);
  if (!request) return bad_data(request.error().message);
  constexpr std::string_view kBefore = "/prometheus/api/v1/label/";
  constexpr std::string_view kAfter = "/values";
  const std::string label = promql::unescaped_name(
      std::string_view(url.path).substr(kBefore.size(), url.path.size() - kBefore.size() - kAfter.size()));
  return list_answer(sources.catalog.label_values(label, *request, control), sink, append_json_string);
}

}  // namespace

std::vector<Route> prometheus_query_routes(const PrometheusSources& sources) {
  const auto with = [&sources](HttpResponse (*handle)(const PrometheusSources&, const Url&, QueryControl&,
                                                      BodySink&)) -> QueryHandler {
    return [sources, handle](const Url& url, QueryControl& control, BodySink& sink) {
      return handle(sources, url, control, sink);
    };
  };
  return {
      prometheus_route("/prometheus/api/v1/query", kInstantParameters, with(handle_instant),
                       "a PromQL query at one time"),
      prometheus_route("/prometheus/api/v1/query_range", kRangeParameters, with(handle_range),
                       "a PromQL query over a range of time"),
      prometheus_route("/prometheus/api/v1/series", kCatalogParameters, with(handle_series),
                       "the labels of the series that match selectors"),
      prometheus_route("/prometheus/api/v1/labels", kCatalogParameters, with(handle_labels),
                       "the names of labels"),
      prometheus_route("/prometheus/api/v1/label/*/values", kCatalogParameters, with(handle_label_values),
                       "the values of one label"),
  };
}

}  // namespace statmill
