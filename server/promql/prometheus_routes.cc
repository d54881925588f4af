#include "server/promql/prometheus_routes.h"

#include <array>
#include <string>
#include <utility>

#include "server/json.h"
#include "server/promql/parser.h"
#include "server/promql/printer.h"
#include "server/promql/prometheus_json.h"
#include "server/promql/tree_json.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kExpressionParameters = {{{"query"}}};

// Parses the parameter `query`; `append_data` writes the tree as JSON. A missing parameter is an empty query.
template <class AppendData>
HttpResponse answer_parsed(const Url& url, AppendData append_data) {
  const Result<promql::SyntaxTree> tree = promql::parse_promql(url.find("query").value_or(""));
  if (!tree)
    return prometheus_error(PrometheusError::kBadData,
                            "invalid parameter \"query\": " + tree.error().message);
  HttpResponse response;
  {
    JsonObject object(response.body);
    object.text("status", "success");
    append_data(object.key("data"), *tree);
  }
  response.body += '\n';
  return response;
}

HttpResponse handle_format_query(const Url& url, QueryControl&, BodySink&) {
  return answer_parsed(url, [](std::string& out, const promql::SyntaxTree& tree) {
    append_json_string(out, promql::print_lines(tree));
  });
}

HttpResponse handle_parse_query(const Url& url, QueryControl&, BodySink&) {
  return answer_parsed(url, promql::append_tree_json);
}

}  // namespace

std::vector<Route> prometheus_routes() {
  return {
      prometheus_route("/prometheus/api/v1/format_query", kExpressionParameters, handle_format_query,
                       "the canonical text of a PromQL query"),
      prometheus_route("/prometheus/api/v1/parse_query", kExpressionParameters, handle_parse_query,
                       "the syntax tree of a PromQL query"),
  };
}

}  // namespace statmill
