// IstatdWorld: the routes of istatd's interface over a table, in which tests put samples.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "server/health.h"
#include "server/http/router.h"
#include "server/istatd/istatd_routes.h"
#include "server/query/engine.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace statmill::istatd {

class IstatdWorld {
 public:
  static constexpr int64_t kNow_s = 1'700'006'400;  // the begin of an hour

  IstatdWorld() : table_(Retention(tiers_), TableLimits{}) {
    const auto recovery = recover(store_, table_);
    ticker_.emplace(Ticker::Services{table_, store_, registry_, health_, log_}, TickOptions{},
                    recovery->start, clock_.steady());
    const CounterSources counters{engine_, series_, table_.live_retention(), clock_};
    std::vector<Route> routes = istatd_routes({counters, connections_, agents_});
    for (Route& route : bare_counter_routes(counters)) routes.push_back(std::move(route));
    router_.emplace(std::move(routes), "/api");
  }

  void add(std::string_view name, Kind kind, const Number& value, int64_t time_s) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.kind = kind;
    sample.time_s = time_s;
    sample.value = value;
    batch.received = 1;
    EXPECT_EQ(table_.apply(batch, clock_.wall()), 1U) << name << " " << time_s;
  }

  HttpResponse get(std::string_view target) { return send("GET", target, {}); }
  // As istatd's page does.
  HttpResponse post(std::string_view target, std::string_view body) { return send("POST", target, body); }
  // With the limits of a control.
  HttpResponse query(std::string_view target, QueryControl& control) {
    const Router::Checked checked = router_->check(request("GET", target, {}));
    if (checked.route == nullptr) return checked.refusal;
    StringSink sink;
    HttpResponse response = checked.route->query(checked.url, control, sink);
    response.body += sink.text();
    return response;
  }
  ConnectionRegistry& connections() { return connections_; }

 private:
  static HttpRequest request(std::string_view method, std::string_view target, std::string_view body) {
    return {.method = method,
            .target = target,
            .body = body,
            .host = "localhost",
            .origin = {},
            .content_encoding = {},
            .content_type = "text/plain;charset=UTF-8"};
  }
  HttpResponse send(std::string_view method, std::string_view target, std::string_view body) {
    return router_->answer(request(method, target, body));
  }

  const Tiers tiers_ = *Tiers::parse("10s:1d,5m:1y,1h:6y");
  ManualClock clock_{kNow_s};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
  MemoryStore store_{tiers_};
  Table table_;
  TableSeries series_{table_};
  QueryEngine engine_{table_, store_, QueryLimits{}};
  ConnectionRegistry connections_{SessionLimit(10, 10)};
  AgentRegistry agents_{AgentLimits{}, registry_};
  std::optional<Ticker> ticker_;
  std::optional<Router> router_;
};

}  // namespace statmill::istatd
