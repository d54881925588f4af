#include <algorithm>
#include <cmath>

#include "tools/statmill-bench/ingest_measures.h"
#include "tools/statmill-bench/query_measures.h"
#include "tools/statmill-bench/query_ranges.h"

namespace statmill {
namespace {

constexpr int64_t kWindow_s = 300;
constexpr size_t kWindowSlots = kWindow_s / kQuerySlot_s;
constexpr size_t kHourSlots = 360;
constexpr size_t kDaySlots = 24 * kHourSlots;

QueryName host_name(const char* metric, size_t series) {
  return {metric, {{"host", "host" + std::to_string(series)}, {"job", "bench"}}};
}

std::string text_of(int64_t number) { return std::to_string(number); }

void say_size(std::string_view measure, const QueryData& data) {
  say_query(measure, std::to_string(data.series()) + " series x " + std::to_string(data.slots()) + " slots");
}

// All of one series, by statmill's API.
QueryFigure own_figure(std::string name, const QueryData& data, int64_t step_s) {
  const auto points = static_cast<size_t>((data.until_s() - data.begin_s()) / step_s);
  double sum = 0;
  for (size_t slot = 0; slot < data.slots(); ++slot) sum += data.value(0, slot);
  return {.name = std::move(name),
          .path = "/api/v1/query",
          .parameters = {{"series", host_name("load", 0).canonical()},
                         {"from", text_of(data.begin_s())},
                         {"until", text_of(data.until_s())},
                         {"step", text_of(step_s)}},
          .want = {1, points, sum * static_cast<double>(kQuerySlot_s) / static_cast<double>(step_s)}};
}

UrlParameters range_parameters(const std::string& query, int64_t start_s, int64_t end_s, int64_t step_s) {
  return {{"query", query}, {"start", text_of(start_s)}, {"end", text_of(end_s)}, {"step", text_of(step_s)}};
}

// Returns the sample of all series and slots [first, first + kWindowSlots) that 99 % do not exceed.
double p99_of_window(const QueryData& data, size_t first) {
  std::vector<double> samples;
  for (size_t i = 0; i < data.series(); ++i) {
    for (size_t slot = first; slot < first + kWindowSlots; ++slot) {
      for (size_t k = 0; k < data.samples_per_slot(); ++k) samples.push_back(data.value(i, slot, k));
    }
  }
  return percentile(std::move(samples), 99);
}

}  // namespace

QueryData day_of(const QueryContext& context, Kind kind, size_t series, size_t samples_per_slot) {
  return QueryData({.kind = kind,
                    .series = series,
                    .name = [](size_t i) { return host_name("load", i); },
                    .until_s = context.now_s / kWindow_s * kWindow_s,
                    .slots = kDaySlots,
                    .samples_per_slot = samples_per_slot});
}

QueryFigure average_figure(std::string name, const std::string& query, const QueryData& data,
                           int64_t step_s) {
  const auto points = static_cast<size_t>((data.until_s() - data.begin_s()) / step_s);
  const double mean = data.sum() / static_cast<double>(data.samples());
  return {.name = std::move(name),
          .path = "query_range",
          .parameters = range_parameters(query, data.begin_s() + step_s, data.until_s(), step_s),
          .want = {1, points, mean * static_cast<double>(points)},
          .timing = QueryTiming::kWarmAndCold};
}

Measured measure_one24h(const QueryContext& context) {
  const QueryData data = day_of(context, Kind::kGauge, scaled(100, context.options.scale, 1));
  say_size("one24h", data);
  QueryFigure promql = own_figure("one24h.promql", data, kQuerySlot_s);
  promql.path = "query_range";
  promql.parameters = range_parameters(host_name("load", 0).prometheus(), data.begin_s() + kQuerySlot_s,
                                       data.until_s(), kQuerySlot_s);
  return measure_figures(context, data, {own_figure("one24h.json", data, kQuerySlot_s), std::move(promql)});
}

Measured measure_avg100(const QueryContext& context) {
  const QueryData data = day_of(context, Kind::kGauge, scaled(100, context.options.scale, 1));
  say_size("avg100", data);
  return measure_figures(context, data,
                         {average_figure("avg100.10s", "avg(load)", data, kQuerySlot_s),
                          average_figure("avg100.300s", "avg(avg_over_time(load[5m]))", data, kWindow_s)});
}

Measured measure_sumrate10k(const QueryContext& context) {
  constexpr int64_t kStep_s = 60;
  constexpr size_t kSeriesOfHost = 100;
  const size_t hosts = scaled(100, context.options.scale, 1);
  const QueryData data({.kind = Kind::kEvent,
                        .series = hosts * kSeriesOfHost,
                        .name =
                            [](size_t i) {
                              QueryName name = host_name("requests", i / kSeriesOfHost);
                              name.labels.emplace_back("path", "path-" + std::to_string(i % kSeriesOfHost));
                              return name;
                            },
                        .until_s = context.now_s / kStep_s * kStep_s,
                        .slots = kHourSlots + kWindowSlots});
  say_size("sumrate10k", data);
  const int64_t start_s = data.begin_s() + kWindow_s;
  const auto points = static_cast<size_t>((data.until_s() - start_s) / kStep_s) + 1;
  std::vector<double> before(data.slots() + 1);  // the sum of all slots before each
  for (size_t slot = 0; slot < data.slots(); ++slot) before[slot + 1] = before[slot] + data.sum_of_slot(slot);
  double rates = 0;
  for (size_t p = 0; p < points; ++p) {
    const size_t end = kWindowSlots + p * (kStep_s / kQuerySlot_s);
    rates += (before[end] - before[end - kWindowSlots]) / static_cast<double>(kWindow_s);
  }
  return measure_figures(context, data,
                         {{.name = "sumrate10k",
                           .path = "query_range",
                           .parameters = range_parameters("sum by (host) (rate(requests[5m]))", start_s,
                                                          data.until_s(), kStep_s),
                           .want = {hosts, hosts * points, rates}}});
}

Measured measure_p99_100dist(const QueryContext& context) {
  constexpr size_t kSamplesPerSlot = 4;
  constexpr double kHistogramError = 1.0 / 64;
  const QueryData data =
      day_of(context, Kind::kDistribution, scaled(100, context.options.scale, 1), kSamplesPerSlot);
  say_size("p99_100dist", data);
  QueryFigure figure = average_figure(
      "p99_100dist", "histogram_quantile(0.99, sum(buckets_over_time(load[5m])))", data, kWindow_s);
  figure.want.sum = 0;
  for (size_t slot = 0; slot < data.slots(); slot += kWindowSlots)
    figure.want.sum += p99_of_window(data, slot);
  figure.tolerance = kHistogramError;
  figure.timing = QueryTiming::kWarm;
  figure.has_peers = false;  // they have no such series
  return measure_figures(context, data, {figure});
}

Measured measure_year5m(const QueryContext& context) {
  constexpr size_t kYearDays = 365;
  const size_t days = std::min(kYearDays, scaled(kYearDays, context.options.scale, 2));
  const QueryData data({.series = 1,
                        .name = [](size_t i) { return host_name("load", i); },
                        .until_s = context.now_s / kWindow_s * kWindow_s,
                        .slots = days * kDaySlots - kHourSlots});  // the oldest slots expire during the run
  say_size("year5m", data);
  return measure_figures(context, data, {own_figure("year5m", data, kWindow_s)});
}

Measured measure_last1000(const QueryContext& context) {
  const QueryData data({.series = scaled(1000, context.options.scale, 1),
                        .name = [](size_t i) { return host_name("load", i); },
                        .until_s = context.now_s / kQuerySlot_s * kQuerySlot_s,
                        .slots = kHourSlots});
  say_size("last1000", data);
  const QueryFigure last = {.name = "last1000",
                            .path = "query",
                            .parameters = {{"query", "load"}, {"time", text_of(data.until_s())}},
                            .want = {data.series(), data.series(), data.sum_of_slot(kHourSlots - 1)}};
  return measure_figures(context, data, {last});
}

QueryFigure small_figure(const QueryData& data) {
  constexpr int64_t kStep_s = 60;
  constexpr int64_t kHour_s = 3600;
  constexpr size_t kStepSlots = kStep_s / kQuerySlot_s;
  QueryFigure small = {
      .name = "small",
      .path = "query_range",
      .parameters = range_parameters(host_name("load", 0).prometheus(), data.until_s() - kHour_s + kStep_s,
                                     data.until_s(), kStep_s),
      .want = {.rows = 1, .points = size_t{kHour_s / kStep_s}}};
  for (size_t p = 0; p < small.want.points; ++p)
    small.want.sum += data.value(0, data.slots() - 1 - p * kStepSlots);
  return small;
}

Measured measure_small(const QueryContext& context) {
  const QueryData data = day_of(context, Kind::kGauge, scaled(100, context.options.scale, 1));
  say_size("small", data);
  QueryFigure small = small_figure(data);
  small.timing = QueryTiming::kPipelined;
  return measure_figures(context, data, {small});
}

Measured measure_pending24h(const QueryContext& context) {
  const QueryData data = day_of(context, Kind::kGauge, scaled(100, context.options.scale, 1));
  say_size("pending24h", data);
  return measure_figures(context, data, {own_figure("pending24h", data, kQuerySlot_s)}, true);
}

}  // namespace statmill
