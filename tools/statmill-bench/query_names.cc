#include "tools/statmill-bench/ingest_measures.h"
#include "tools/statmill-bench/query_measures.h"

namespace statmill {
namespace {

constexpr size_t kNames = 1'000'000;

// One sample each.
QueryData names_of(const QueryContext& context, size_t series, QueryName (*name)(size_t)) {
  return QueryData({.series = series, .name = name, .until_s = context.now_s / kQuerySlot_s * kQuerySlot_s});
}

QueryFigure list_figure(std::string name, const std::string& glob, size_t rows) {
  return {.name = std::move(name),
          .path = "/api/v1/series",
          .parameters = {{"match", glob}, {"limit", "1000"}},
          .want = {.rows = rows}};
}

QueryFigure search_figure(std::string name, const std::string& words, size_t rows) {
  return {.name = std::move(name),
          .path = "/api/v1/search",
          .parameters = {{"q", words}, {"limit", "1000"}},
          .want = {.rows = rows}};
}

constexpr size_t kSeriesPerInstance = 1000;
constexpr size_t kPaths = 50;

// A name with 9 labels and the metric, as many exporters have them. Each instance has all combinations of
// path, code and method.
QueryName request_name(size_t series) {
  const size_t instance = series / kSeriesPerInstance;
  const auto numbered = [](const char* text, size_t number) { return text + std::to_string(number); };
  return {"http_requests",
          {{"code", numbered("20", series / kPaths % 5)},
           {"dc", numbered("dc-", instance % 4)},
           {"instance", numbered("10.0.0.", instance)},
           {"job", numbered("job-", instance % 10)},
           {"method", numbered("method-", series / (kPaths * 5) % 4)},
           {"namespace", numbered("namespace-", instance % 50)},
           {"path", numbered("path-", series % kPaths)},
           {"pod", numbered("pod-5d8c7f9b4-", instance)},
           {"version", numbered("1.2.", instance % 20)}}};
}

}  // namespace

Measured measure_find1m(const QueryContext& context) {
  const size_t hosts = scaled(kNames / kSeriesPerHost, context.options.scale, 1);
  say_query("find1m", std::to_string(hosts * kSeriesPerHost) + " names with dots");
  const QueryData data =
      names_of(context, hosts * kSeriesPerHost, [](size_t i) { return QueryName{series_name(i)}; });
  const std::string last = series_name((hosts - 1) * kSeriesPerHost);  // servers.host09999.cpu.0.user
  const std::string host = last.substr(0, last.find(".cpu"));
  return measure_figures(
      context, data,
      {list_figure("find1m", "*" + host.substr(host.find(".host") + 1) + ".cpu.3*", 10),
       list_figure("find1m.prefix", host + ".*", kSeriesPerHost),
       search_figure("find1m.search", "SERVERS " + host.substr(host.find(".host") + 1), kSeriesPerHost)});
}

Measured measure_select1m(const QueryContext& context) {
  const size_t instances = scaled(kNames / kSeriesPerInstance, context.options.scale, 1);
  say_query("select1m", std::to_string(instances * kSeriesPerInstance) + " series of 9 labels");
  const QueryData data = names_of(context, instances * kSeriesPerInstance, request_name);
  const std::string selector =
      R"({instance="10.0.0.)" + std::to_string(instances / 2) + R"(",path="path-7"})";
  const QueryFigure select = {.name = "select1m",
                              .path = "series",
                              .parameters = {{"match[]", selector},
                                             {"start", std::to_string(data.begin_s())},
                                             {"end", std::to_string(data.until_s())}},
                              .want = {.rows = kSeriesPerInstance / kPaths}};
  return measure_figures(context, data, {select, list_figure("select1m.first", "*", kSeriesPerInstance)});
}

}  // namespace statmill
