// NamesWorld: Graphite's routes for paths and tags over a table, in which tests put series.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/graphite/find_routes.h"
#include "server/graphite/tag_routes.h"
#include "server/http/router.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "tests/support/manual_clock.h"

namespace statmill::graphite {

class NamesWorld {
 public:
  static constexpr int64_t kNow_s = 1'700'000'100;

  void add(std::string_view name) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.kind = Kind::kGauge;
    sample.time_s = kNow_s;
    sample.value = Number::of(1);
    batch.received = 1;
    EXPECT_EQ(table_.apply(batch, from_unix_seconds(kNow_s)), 1U) << name;
  }

  HttpResponse get(std::string_view target) { return router_.answer(request("GET", target, {})); }
  // With a form as its body.
  HttpResponse post(std::string_view target, std::string_view form) {
    return router_.answer(request("POST", target, form));
  }
  // Calls the handler of a query with a control, whose limits it must keep.
  HttpResponse query(std::string_view target, QueryControl& control) {
    const Router::Checked checked = router_.check(request("GET", target, {}));
    if (checked.route == nullptr) return checked.refusal;
    StringSink sink;
    HttpResponse response = checked.route->query(checked.url, control, sink);
    response.body += sink.text();
    return response;
  }

 private:
  static HttpRequest request(std::string_view method, std::string_view target, std::string_view form) {
    return {.method = method,
            .target = target,
            .body = form,
            .host = "localhost",
            .origin = {},
            .content_encoding = {},
            .content_type = form.empty() ? std::string_view() : "application/x-www-form-urlencoded"};
  }
  static std::vector<Route> routes(const TableSeries& series) {
    std::vector<Route> routes = find_routes(series);
    for (Route& route : tag_routes({series, series})) routes.push_back(std::move(route));
    return routes;
  }

  const Tiers tiers_ = *Tiers::parse("10s:1h,5m:1y");
  Table table_{Retention(tiers_), TableLimits{}};
  TableSeries series_{table_};
  Router router_{routes(series_)};
};

}  // namespace statmill::graphite
