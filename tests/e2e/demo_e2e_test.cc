// `statmilld --demo` as users start it: the fleet is there at once, with its stories and two years of
// history.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/support/http_client.h"
#include "tests/support/process.h"

namespace statmill {
namespace {

namespace json = boost::json;

class Demo : public testing::Test {
 protected:
  void start(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"--demo", "--watchdog.lag", "1h", "--watchdog.hang", "1h"});
    process_ = std::make_unique<Process>(Command{STATMILL_BIN "/statmilld", options, {}});
    const auto ready = process_->wait_for_line(" ready ");
    ASSERT_TRUE(ready) << process_->standard_error();
    http_ = endpoint_of(log_value(*ready, "http"));
    data_ = std::filesystem::path(log_value(*ready, "admin")).parent_path().parent_path();
  }
  // Ends it, and checks that nothing of it is left.
  void stop() {
    process_->signal(SIGTERM);
    EXPECT_EQ(process_->wait(), 0) << process_->standard_error();
    EXPECT_FALSE(std::filesystem::exists(data_)) << data_;
  }
  json::value get(const std::string& target) const {
    const HttpReply reply = http_get(http_, target);
    EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
    return reply.status == 200 ? json::parse(reply.body) : json::value();
  }
  // The only series of a query.
  json::object series(const std::string& query) const {
    const json::value answer = get("/api/v1/query?series=" + query);
    EXPECT_EQ(answer.at("series").as_array().size(), 1U) << query;
    return answer.at("series").as_array().at(0).as_object();
  }
  json::object host(std::string_view name) const {
    const json::value answer = get("/api/v1/hosts");
    for (const json::value& one : answer.at("hosts").as_array()) {
      if (one.at("host").as_string() == name) return one.as_object();
    }
    return {};
  }

  std::unique_ptr<Process> process_;
  Endpoint http_;
  std::filesystem::path data_;
};

size_t present_count(const json::value& column) {
  size_t count = 0;
  for (const json::value& value : column.as_array()) count += value.is_null() ? 0U : 1U;
  return count;
}

TEST_F(Demo, ShowsItsFleetAndItsStories) {
  start();
  EXPECT_TRUE(wait_until(
      [&] { return process_->standard_output().find("http://" + http_.text()) != std::string::npos; }));
  const std::string status = http_get(http_, "/api/v1/status").body;
  EXPECT_NE(status.find("\"demo\":true"), std::string::npos);
  EXPECT_EQ(status.find("\"demo\":"), status.rfind("\"demo\":"));
  EXPECT_GT(get("/api/v1/status").at("disk_free_bytes").to_number<double>(), 0);
  EXPECT_EQ(get("/api/v1/hosts").at("hosts").as_array().size(), 50U);

  // The agents connect by the port of agents.
  EXPECT_TRUE(wait_until([&] {
    const json::object cache2 = host("cache2.example.org");
    return cache2.at("agent").is_object() && cache2.at("agent").at("lines_lost") == 2400;
  }));
  EXPECT_EQ(host("db3.example.org").at("tags"), (json::value{{"dc", "ams"}, {"role", "db"}}));

  // Two years of hours, and the latest 10 s.
  const json::object years =
      series("host.cpu.busy_percent;*host=db3.example.org;*&from=-730d&until=now&step=3600&stats=avg,count");
  EXPECT_GE(present_count(years.at("avg")), size_t{730} * 24 - 24);
  EXPECT_EQ(years.at("count").as_array().at(1000), 3600);

  // While web7 was away nothing is known of its gauges and its events.
  for (const std::string metric : {"host.cpu.busy_percent;", "host.ip.in_bytes;"}) {
    const json::object away =
        series(metric + "*host=web7.example.org;*&from=-30m&until=-2m&step=60&stats=avg");
    const size_t points = away.at("avg").as_array().size();
    EXPECT_LE(present_count(away.at("avg")), points - 5) << metric;
    EXPECT_GE(present_count(away.at("avg")), points - 8) << metric;
  }
  stop();
}

TEST_F(Demo, HasEachSecondOfHostsBeforeAndAfterItsStart) {
  start();
  const double begin = get("/api/v1/status").at("now").to_number<double>();
  for (const std::string path : {"host.cpu.busy_percent", "host.ip.in_bytes", "host.tcp.srtt_us"}) {
    json::value answer;
    // Seconds without a gap until three after the start, of 100 in the last of which nothing came yet.
    EXPECT_TRUE(wait_until([&] {
      answer = get("/api/v1/query?series=" + path + ";*host=db1.example.org;*&from=" +
                   std::to_string(static_cast<int64_t>(begin) - 60) + "&until=now&stats=avg,count");
      if (answer.at("step") != 1 || answer.at("series").as_array().empty()) return false;
      const json::array& avg = answer.at("series").at(0).at("avg").as_array();
      size_t dense = 0;
      while (dense < avg.size() && !avg[dense].is_null()) ++dense;
      return answer.at("from").to_number<double>() + static_cast<double>(dense) > begin + 3;
    })) << answer;
    EXPECT_EQ(answer.at("tier"), 1) << path;
  }
  stop();
}

TEST_F(Demo, TheDiskOfDb3IsBimodal) {
  start();
  const json::value map = get(
      "/api/v1/heatmap?series=host.block.latency_ns;dc=ams;device=vda;host=db3.example.org;op=read;role=db"
      "&from=-30m&until=now&max_points=30");
  double near_1_ms = 0;
  double near_80_ms = 0;
  const json::array& buckets = map.at("buckets").as_array();
  for (size_t row = 0; row < buckets.size(); ++row) {
    const double ms = buckets[row].as_array().at(0).to_number<double>() / 1e6;
    double count = 0;
    for (const json::value& cell : map.at("counts").as_array().at(row).as_array())
      count += cell.is_null() ? 0 : cell.to_number<double>();
    if (ms > 0.5 && ms < 2) near_1_ms += count;
    if (ms > 60 && ms < 110) near_80_ms += count;
  }
  EXPECT_GT(near_1_ms, 1000);
  EXPECT_GT(near_80_ms, 1000);
  stop();
}

TEST_F(Demo, HasEventsOfPeopleAndOfTheServer) {
  start();
  const auto events = [this](const std::string& tag) {
    return get("/api/v1/events?tags=" + tag).at("events").as_array();
  };
  ASSERT_TRUE(wait_until([&] { return events("deploy").size() == 6 && events("incident").size() == 1; }));
  EXPECT_FALSE(events("incident").at(0).at("until").is_null());
  const double now = get("/api/v1/status").at("now").to_number<double>();
  const json::value newest = events("deploy").at(5);
  EXPECT_EQ(newest.at("where").as_string(), "host=db3.example.org");
  EXPECT_NEAR(newest.at("time").to_number<double>(), now - 41 * 60, 120);
  ASSERT_TRUE(wait_until([&] { return events("names").size() == 1; }));
  EXPECT_EQ(events("names").at(0).at("title").as_string(), "1 series renamed");
  EXPECT_EQ(get("/api/v1/series?match=shop.temperature_celsius;*").at("series").as_array().size(), 1U);

  // batch4 restarted 55 minutes ago with another kernel.
  ASSERT_TRUE(wait_until([&] { return events("boot").size() == 1 && events("kernel").size() == 1; }));
  EXPECT_EQ(events("boot").at(0).at("title").as_string(), "batch4.example.org booted");
  EXPECT_NEAR(events("boot").at(0).at("time").to_number<double>(), now - 54 * 60, 120);
  EXPECT_EQ(events("kernel").at(0).at("text").as_string(), "from 6.1.0-27-amd64 to 6.1.0-28-amd64");
  EXPECT_EQ(host("db3.example.org").at("agent").at("kernel").as_string(), "6.1.0-28-amd64");
  stop();
}

TEST_F(Demo, HasDashboardsOfSeveralVersions) {
  start({"--demo.hosts", "4"});
  const auto versions = [this](const std::string& id) {
    const HttpReply reply = http_get(http_, "/api/v1/dashboards/" + id + "/versions");
    return reply.status == 200 ? json::parse(reply.body).at("versions").as_array().size() : 0;
  };
  EXPECT_TRUE(wait_until([&] { return versions("shop") == 3 && versions("database-disks") == 2; }));
  size_t saved = 0;
  const json::value all = get("/api/v1/dashboards");
  for (const json::value& one : all.at("dashboards").as_array())
    saved += one.at("source") == "saved" ? 1U : 0U;
  EXPECT_EQ(saved, 2U);
  EXPECT_EQ(get("/api/v1/dashboards/shop").at("panels").as_array().size(), 5U);
  EXPECT_EQ(get("/api/v1/dashboards/shop?version=1").at("panels").as_array().size(), 2U);
  stop();
}

TEST_F(Demo, ClocksOfTheLabAreWrongNamesAreOddAndSomeSamplesAreLate) {
  start();
  ASSERT_TRUE(wait_until([&] {
    const json::object lab9 = host("lab9.example.org");
    return lab9.at("agent").is_object() && lab9.at("agent").at("skew_ms").is_int64();
  }));
  EXPECT_NEAR(host("lab9.example.org").at("agent").at("skew_ms").to_number<double>(), 95'000, 5000);
  EXPECT_TRUE(wait_until([&] {
    const json::value report = get("/api/v1/status/agents");
    for (const json::value& agent : report.at("agents").as_array()) {
      if (agent.at("host") == "lab10.example.org") return agent.at("refused").as_object().contains("too_new");
    }
    return false;
  }));
  EXPECT_TRUE(wait_until([&] { return get("/api/v1/tree?prefix=odd.").at("series").to_number<int>() >= 8; }));
  EXPECT_TRUE(wait_until([&] {
    const HttpReply late = http_get(
        http_, "/api/v1/query?series=shop.late;app=import&from=-130m&until=-115m&max_points=1&stats=count");
    return late.status == 200 && late.body.find("\"count\":[null]") == std::string::npos;
  }));
  stop();
}

TEST_F(Demo, TheDoorsGetSamplesAndRefuseSome) {
  start({"--demo.hosts", "4"});
  const std::set<std::string> reasons = {"bad_value", "sender_limit", "line_too_long"};
  EXPECT_TRUE(wait_until([&] {
    const json::value samples = get("/api/v1/status").at("samples");
    for (const std::string_view listener : {"agent", "tcp", "graphite_tcp", "statsd_udp", "http"}) {
      if (samples.at(listener).at("accepted").to_number<double>() == 0) return false;
    }
    const json::object& refused = samples.at("tcp").at("refused").as_object();
    return std::ranges::all_of(reasons, [&](const auto& reason) { return refused.contains(reason); });
  })) << get("/api/v1/status");
  EXPECT_EQ(
      series("host.cpu.busy_percent;*host=db3.example.org;*&from=-1m&until=now&step=60&stats=max").at("unit"),
      "percent");
  stop();
}

TEST_F(Demo, AStoppedClockShowsTheSameToEveryone) {
  constexpr int64_t kNow = 1'774'746'000;  // 2026-03-29 01:00 UTC, when Berlin's clocks change
  const auto picture = [&] {
    start({"--demo.hosts", "3", "--demo.now", std::to_string(kNow)});
    EXPECT_TRUE(wait_until([&] { return host("db3.example.org").at("agent").is_object(); }));
    EXPECT_EQ(get("/api/v1/hosts").at("now").to_number<int64_t>(), kNow);
    const json::object day =
        series("host.cpu.busy_percent;*host=db3.example.org;*&from=-1d&until=" + std::to_string(kNow - 600) +
               "&step=600&stats=avg,min,max,count");
    stop();
    return json::serialize(day);
  };
  EXPECT_EQ(picture(), picture());
}

}  // namespace
}  // namespace statmill
