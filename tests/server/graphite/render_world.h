// A server's table and its /render, in memory.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/graphite/render_routes.h"
#include "server/query/read/table_pieces.h"
#include "server/query/table_series.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace statmill::graphite {

inline constexpr int64_t kNow = 1'700'000'100;  // the begin of a minute

using Parameters = std::vector<std::pair<std::string, std::string>>;

class RenderWorld {
 public:
  explicit RenderWorld(int64_t now_s = kNow) : clock_(now_s) { EXPECT_TRUE(recover(store_, table_)); }

  void add(std::string_view name, int64_t time_s, int64_t value,
           statmill::Kind kind = statmill::Kind::kGauge) {
    Batch batch;
    Sample& sample = batch.samples.emplace_back();
    sample.name = name;
    sample.kind = kind;
    sample.time_s = time_s;
    sample.value = statmill::Number::of(static_cast<double>(value));
    batch.received = 1;
    EXPECT_EQ(table_.apply(batch, clock_.wall()), 1U);
  }
  // The values of the slots up to now.
  void add_all(std::string_view name, const std::vector<int64_t>& values,
               statmill::Kind kind = statmill::Kind::kGauge) {
    int64_t time_s = kNow - static_cast<int64_t>(values.size()) * 10;
    for (const int64_t value : values) add(name, std::exchange(time_s, time_s + 10), value, kind);
  }

  HttpResponse ask(const std::string& path, const Parameters& parameters, const QueryLimits& limits = {}) {
    Url url{path, {}};
    for (const auto& [name, value] : parameters) url.parameters.push_back({name, value});
    for (const Route& route : routes_) {
      if (route.path != path) continue;
      if (!route.query) return route.handle(url, {});
      QueryControl control(limits);
      StringSink sink;
      HttpResponse response = route.query(url, control, sink);
      response.body += sink.text();
      if (!sink.content_type().empty()) response.content_type = sink.content_type();
      return response;
    }
    ADD_FAILURE() << path;
    return {};
  }
  // Asks for targets of the last minute, or of another time.
  std::string render(const std::string& target, Parameters more = {}) {
    more.emplace_back("target", target);
    more.emplace_back("from", "-1min");
    const HttpResponse response = ask("/render", more);
    return (response.status == 200 ? "" : std::to_string(response.status) + " ") + response.body;
  }
  StoredTargets::Sources sources() { return {series_, pieces_, table_.live_retention(), store_.expiry()}; }
  StoredTargets targets(QueryControl& control) { return {sources(), events_, control, clock_.wall()}; }

 private:
  static Retention with_seconds(const Tiers& tiers) {
    Retention retention(tiers);
    EXPECT_TRUE(retention.add_rule("second.* 1s:30m"));
    return retention;
  }

  // Two events now, whatever tags are asked for.
  const StoredTargets::EventTimes events_ = [](const EventRequest& asked) {
    return asked.until_s > kNow ? std::vector<int64_t>{kNow, kNow} : std::vector<int64_t>();
  };
  const Tiers tiers_ = *Tiers::parse("10s:1h,5m:1y");
  ManualClock clock_;
  MemoryStore store_{tiers_};
  Table table_{with_seconds(tiers_), TableLimits{}};
  TablePieces pieces_{table_, store_};
  TableSeries series_{table_};
  const std::vector<Route> routes_ = render_routes({sources(), events_, clock_});
};

// [[1,TIME],...] with the times that end at `last_s`.
inline std::string points(const std::vector<std::string>& values, int64_t last_s, int64_t step_s = 10) {
  std::string out = "[";
  int64_t time_s = last_s - static_cast<int64_t>(values.size() - 1) * step_s;
  for (const std::string& value : values) {
    out += (out.size() > 1 ? ",[" : "[") + value + "," + std::to_string(time_s) + "]";
    time_s += step_s;
  }
  return out + "]";
}

}  // namespace statmill::graphite
