#include "server/promql/prometheus_status_routes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "proto/name_escapes.h"
#include "server/json.h"
#include "server/promql/compile.h"
#include "server/promql/name_escapes.h"
#include "server/promql/prometheus_json.h"
#include "server/promql/prometheus_parameters.h"
#include "server/promql/targets_route.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kTsdbParameters = {{{"limit"}}};
constexpr std::array<ParameterRule, 3> kMetadataParameters = {{{"limit"}, {"limit_per_metric"}, {"metric"}}};

// Clients choose their dialect by this version: the language is that of 2.42.
constexpr std::string_view kBuild =
    R"({"version":"2.42.0","revision":"","branch":"","buildUser":"","buildDate":"","goVersion":"","application":"statmill"})";
constexpr std::string_view kConfig =
    R"({"yaml":"# statmilld has no configuration in the form of Prometheus\n"})";

// [{"name":"up","value":3}]
void append_counts(std::string& out, const CatalogStats::Counts& counts) {
  JsonArray list(out);
  for (const auto& [name, count] : counts) {
    JsonObject one(list.element());
    one.text("name", name);
    one.count("value", count);
  }
}

HttpResponse handle_tsdb(const PrometheusStatus& status, const Url& url, QueryControl& control, BodySink&) {
  constexpr size_t kShown = 10;  // as Prometheus does
  const Result<size_t> limit = parse_limit(url, kShown);
  if (!limit) return prometheus_error(PrometheusError::kBadData, limit.error().message);
  const auto stats = status.catalog.stats(*limit, control);
  if (!stats) return evaluation_error(stats.error());
  std::string data;
  {
    JsonObject object(data);
    JsonObject(object.key("headStats")).count("numSeries", stats->series);
    append_counts(object.key("seriesCountByMetricName"), stats->series_by_metric);
    append_counts(object.key("labelValueCountByLabelName"), stats->values_by_label);
    object.key("memoryInBytesByLabelName").append("[]");  // not known
    append_counts(object.key("seriesCountByLabelValuePair"), stats->series_by_pair);
  }
  QueryNotes notes;
  if (stats->missed > 0)
    notes.warnings.push_back("counts of series may be too low by up to " + std::to_string(stats->missed));
  return prometheus_answer(data, notes);
}

// Without what only a program in Go has.
HttpResponse handle_runtime(const PrometheusStatus& status, const Url&, QueryControl&, BodySink&) {
  std::string data;
  {
    JsonObject object(data);
    object.text("startTime", iso_time(unix_seconds(status.started)));
    object.key("reloadConfigSuccess").append("true");  // one that fails changes nothing
    // Most settings are read at the start only, so a reload does not move this.
    object.text("lastConfigTime", iso_time(unix_seconds(status.started)));
    object.count("corruptionCount", status.store.stats().damaged_frames);
    object.text("storageRetention", status.retention.get().tiers().text());
  }
  return prometheus_answer(data);
}

// The settings of Prometheus that the server has, too.
HttpResponse handle_flags(const PrometheusStatus& status, const Url&, QueryControl&, BodySink&) {
  const auto retention = std::chrono::seconds(status.retention.get().tiers().coarsest().retention_s);
  std::string data;
  {
    JsonObject object(data);
    object.text("query.lookback-delta", format_duration(Duration(promql::kDefaultLookbackMs)));
    object.text("query.timeout", format_duration(status.query_timeout));
    object.text("storage.tsdb.retention.time", format_duration(retention));
  }
  return prometheus_answer(data);
}

std::string_view type_of(Kind kind) {
  if (kind == Kind::kGauge) return "gauge";
  return kind == Kind::kDistribution ? "histogram" : "counter";
}

// Appends "metric":[{"type":"gauge","help":"...","unit":"s"}] for families of one path.
void append_metadata(std::string& out, std::span<const FamilyRow> families, size_t limit) {
  append_json_string(out, unescaped(families.front().key.path));
  out.push_back(':');
  JsonArray list(out);
  for (const FamilyRow& family : families.first(std::min(limit, families.size()))) {
    JsonObject one(list.element());
    one.text("type", type_of(family.key.kind));
    one.text("help", family.help);
    one.text("unit", family.unit);
  }
}

// Appends the families of up to `limit` paths. They are read in pages, so that no lock is held for long.
Status append_all_metadata(std::string& data, const PrometheusStatus& status, size_t limit,
                           size_t limit_per_metric, QueryControl& control) {
  constexpr size_t kPage = 1000;
  FamilyKey last;
  std::vector<FamilyRow> of_path;
  size_t paths = 0;
  const auto finish_path = [&] {
    if (of_path.empty()) return;
    if (paths++ > 0) data.push_back(',');
    append_metadata(data, of_path, limit_per_metric);
    of_path.clear();
  };
  while (true) {
    std::vector<FamilyRow> page = status.catalog.families(last, kPage);
    if (page.empty()) break;
    last = page.back().key;
    const size_t before = data.size();
    for (FamilyRow& row : page) {
      if (!of_path.empty() && of_path.back().key.path != row.key.path) finish_path();
      if (paths == limit) return Status::ok();
      of_path.push_back(std::move(row));
    }
    if (Status s = control.take_memory(data.size() - before); !s) return s;
    if (Status s = control.check(); !s) return s;
  }
  finish_path();
  return Status::ok();
}

HttpResponse handle_metadata(const PrometheusStatus& status, const Url& url, QueryControl& control,
                             BodySink&) {
  const Result<size_t> limit = parse_limit(url, SIZE_MAX);
  if (!limit) return prometheus_error(PrometheusError::kBadData, limit.error().message);
  const Result<size_t> per_metric = parse_limit(url, SIZE_MAX, "limit_per_metric");
  if (!per_metric) return prometheus_error(PrometheusError::kBadData, per_metric.error().message);
  std::string data = "{";
  if (const auto metric = url.find("metric"); metric && !metric->empty()) {
    const auto families = status.catalog.families_of(escaped_path(promql::unescaped_name(*metric)));
    if (!families.empty()) append_metadata(data, families, *per_metric);
  } else if (Status s = append_all_metadata(data, status, *limit, *per_metric, control); !s) {
    return evaluation_error(s.error());
  }
  data.push_back('}');
  return prometheus_answer(data);
}

// An answer that is the same for all requests.
QueryHandler fixed(std::string_view data) {
  return [data](const Url&, QueryControl&, BodySink&) { return prometheus_answer(data); };
}

}  // namespace

std::vector<Route> prometheus_status_routes(const PrometheusStatus& status) {
  const auto route = [](std::string_view path, QueryHandler handle, std::string_view description,
                        std::span<const ParameterRule> parameters = {}) {
    return prometheus_route(path, parameters, std::move(handle), description);
  };
  const auto with = [&status](HttpResponse (*handle)(const PrometheusStatus&, const Url&, QueryControl&,
                                                     BodySink&)) -> QueryHandler {
    return [status, handle](const Url& url, QueryControl& control, BodySink& sink) {
      return handle(status, url, control, sink);
    };
  };
  return {
      route("/prometheus/api/v1/metadata", with(handle_metadata), "type, unit and help of metrics",
            kMetadataParameters),
      targets_route(status.scrapes),
      route("/prometheus/api/v1/status/buildinfo", fixed(kBuild), "the version of the language"),
      route("/prometheus/api/v1/status/config", fixed(kConfig), "always empty: statmilld has another form"),
      route("/prometheus/api/v1/status/flags", with(handle_flags), "the settings that Prometheus has, too"),
      route("/prometheus/api/v1/status/runtimeinfo", with(handle_runtime), "start, damage and retention"),
      route("/prometheus/api/v1/status/tsdb", with(handle_tsdb),
            "the metrics, labels and values with the most series", kTsdbParameters),
  };
}

}  // namespace statmill
