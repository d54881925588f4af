// PromqlWorld: the routes of PromQL over a table, in which tests put samples.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "proto/istatd/parser.h"
#include "server/http/router.h"
#include "server/promql/exemplar_route.h"
#include "server/promql/expression_route.h"
#include "server/promql/overview_routes.h"
#include "server/promql/prometheus_query_routes.h"
#include "server/promql/prometheus_status_routes.h"
#include "server/query/engine.h"
#include "server/query/read/table_pieces.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/server/http/fake_services.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace statmill {

// A target without its parameters, and the parameters.
struct Ask {
  std::string path;
  std::vector<std::pair<std::string, std::string>> parameters = {};
};

class PromqlWorld {
 public:
  static constexpr int64_t kNow_s = 1'700'000'100;  // the begin of a minute

  // Without `has_names`, queries by names are answered by the fake services. `rule` is one of retention.
  explicit PromqlWorld(bool has_names = false, std::string_view rule = "second_* 1s:30m")
      : table_(with_rule(tiers_, rule), TableLimits{}) {
    const auto recovery = recover(store_, table_);
    ticker_.emplace(Ticker::Services{table_, store_, fake_.registry, fake_.health, log_}, TickOptions{},
                    recovery->start, clock_.steady());
    const HttpServices fakes = fake_.services();
    const HttpServices with_names{engine_,      fakes.lines, fakes.reports, fakes.registry,
                                  fakes.health, clock_,      fakes.board};
    routes_ = api_routes(has_names ? with_names : fakes);
    answer_expressions(routes_, sources_, engine_);
    for (Route& route : overview_routes(engine_, clock_)) routes_.push_back(std::move(route));
    for (Route& route : prometheus_query_routes(sources_)) routes_.push_back(std::move(route));
    routes_.push_back(exemplar_route({series_, series_, store_}));
    const PrometheusStatus status{series_, stats_, table_.live_retention(), std::chrono::seconds(2),
                                  from_unix_seconds(1'700'000'000)};
    for (Route& route : prometheus_status_routes(status)) routes_.push_back(std::move(route));
  }

  // A sample each 10 s, or each `every_s`, in [begin_s, end_s). Series called second_* keep detail.
  void add(std::string_view name, Kind kind, const Number& value, int64_t begin_s, int64_t end_s = kNow_s,
           int64_t every_s = 10) {
    for (int64_t time_s = begin_s; time_s < end_s; time_s += every_s) {
      Batch batch;
      Sample& sample = batch.samples.emplace_back();
      sample.name = name;
      sample.kind = kind;
      sample.time_s = time_s;
      sample.value = value;
      batch.received = 1;
      EXPECT_EQ(table_.apply(batch, clock_.wall()), 1U);
    }
  }

  // Applies lines that have no samples.
  void apply(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    EXPECT_EQ(batch.received, 0U) << lines;
    table_.apply(batch, clock_.wall());
  }

  // Writes what was applied to the store.
  void tick() { EXPECT_TRUE(ticker_->tick({clock_.wall(), clock_.steady()})); }
  Table& table() { return table_; }

  HttpResponse ask(const Ask& ask) {
    QueryControl control;
    return this->ask(ask, control);
  }
  HttpResponse ask(const Ask& ask, QueryControl& control) {
    Url url{ask.path, {}};
    for (const auto& [name, value] : ask.parameters) url.parameters.push_back({name, value});
    for (const Route& route : routes_) {
      if (!route.query || !Glob::parse(route.path)->matches(ask.path)) continue;
      StringSink sink;
      HttpResponse response = route.query(url, control, sink);
      response.body += sink.text();
      if (!sink.content_type().empty()) response.content_type = sink.content_type();
      return response;
    }
    ADD_FAILURE() << "no route " << ask.path;
    return {};
  }

  FakeServices& fake() { return fake_; }
  const std::vector<Route>& routes() const { return routes_; }

 private:
  static Retention with_rule(const Tiers& tiers, std::string_view rule) {
    Retention out(tiers);
    EXPECT_TRUE(out.add_rule(rule));
    return out;
  }

  const Tiers tiers_ = *Tiers::parse("10s:1h,5m:1y");
  ManualClock clock_{kNow_s};
  FakeServices fake_;
  Log log_{LogLevel::kError};
  MemoryStore store_{tiers_};
  Table table_;
  TablePieces pieces_{table_, store_};
  TableSeries series_{table_};
  StoreStatsCache stats_;
  QueryEngine engine_{table_, store_, QueryLimits{}};
  std::optional<Ticker> ticker_;
  const PrometheusSources sources_{
      {series_, pieces_, table_.live_retention(), store_.expiry()}, series_, clock_};
  std::vector<Route> routes_;
};

}  // namespace statmill
