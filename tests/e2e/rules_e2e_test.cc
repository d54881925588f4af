// Rules and alerts of a server, with Debian's Alertmanager and promtool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// The condition is a total over all data, so it does not depend on how slots fall.
constexpr const char* kRules = R"(
groups:
- name: heat
  interval: 1s
  query_offset: 0
  rules:
  - record: heat:all
    expr: sum by (room) (max_over_time(heat[1h]))
  - alert: Hot
    expr: heat:all > 50
    for: 2s
    labels: {severity: page}
    annotations: {summary: '{{ $labels.room }} has {{ $value }} degrees'}
)";

constexpr const char* kAlerts = "/prometheus/api/v1/alerts";
constexpr const char* kFiring = R"(/prometheus/api/v1/query?query=ALERTS%7Balertstate%3D%22firing%22%7D)";

class RulesE2e : public testing::Test {
 protected:
  RulesE2e() { directory_.write("rules.yml", kRules); }

  std::vector<std::string> options(std::vector<std::string> more = {}) {
    std::vector<std::string> out = {"--rules", directory_.path(), "--rules.resend",
                                    "1s",      "--rules.url",     "http://page.example.org"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  static bool has(const ServerProcess& server, const std::string& target, std::string_view part) {
    return server.get(target).find(part) != std::string::npos;
  }
  // The part of the alerts that says since when one is active.
  static std::string active_at(const ServerProcess& server) {
    const std::string alerts = server.get(kAlerts);
    const size_t at = alerts.find("\"activeAt\"");
    return at == std::string::npos ? "" : alerts.substr(at, alerts.find(',', at) - at);
  }

  TempDirectory directory_;
};

TEST_F(RulesE2e, AnAlertFiresAndEndsAndOutlivesACrash) {
  ServerProcess server(STATMILL_BIN, options());
  server.start();
  server.send("heat;room=cellar 20\nheat;room=attic 60\n");
  ASSERT_TRUE(wait_until([&] { return has(server, kAlerts, R"("state":"firing")"); })) << server.get(kAlerts);
  EXPECT_THAT(server.get(kAlerts), HasSubstr(R"("annotations":{"summary":"attic has 60 degrees"})"));
  EXPECT_THAT(server.get(kAlerts), Not(HasSubstr("cellar")));
  EXPECT_TRUE(wait_until([&] { return has(server, kFiring, R"("room":"attic")"); }));
  EXPECT_THAT(server.get("/prometheus/api/v1/rules"), HasSubstr(R"("health":"ok")"));
  EXPECT_THAT(server.get("/prometheus/api/v1/rules"), Not(HasSubstr("lastError")));
  EXPECT_EQ(server.totals("heat:all;*").size(), 2U);

  const std::string since = active_at(server);
  server.wait_until_durable();
  server.kill();
  server.start();
  ASSERT_TRUE(wait_until([&] { return has(server, kAlerts, R"("state":"firing")"); })) << server.get(kAlerts);
  EXPECT_EQ(active_at(server), since);

  directory_.write("rules.yml", std::string(kRules).replace(std::string(kRules).find("> 50"), 4, "> 70"));
  EXPECT_TRUE(wait_until([&] { return has(server, kAlerts, R"("alerts":[])"); })) << server.get(kAlerts);
  EXPECT_TRUE(wait_until([&] { return has(server, kFiring, R"("result":[])"); })) << server.get(kFiring);
  EXPECT_EQ(server.metric("statmill_alerts_active"), 0);
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(RulesE2e, AFileWithAFaultKeepsTheRulesOfBefore) {
  ServerProcess server(STATMILL_BIN, options());
  server.start();
  ASSERT_TRUE(wait_until([&] { return server.metric("statmill_rules") == 2; }));
  directory_.write("rules.yml", "groups: [{name: x, rules: [{record: y}]}]");
  EXPECT_TRUE(server.process().wait_for_line("a rule has no expression"));
  EXPECT_TRUE(server.wait_for_metric("statmill_rule_file_faults", 1));
  EXPECT_EQ(server.metric("statmill_rules"), 2);
  const Ended check =
      run_program({STATMILL_BIN "/statmilld", {"--check-config", "--rules", directory_.path()}, {}});
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.said, HasSubstr("rules.yml: line 1: a rule has no expression"));
}

// Returns a request with alerts, up to the end of their list.
std::string receive_alerts(TcpConnection& connection) {
  std::string request;
  while (request.find("}]") == std::string::npos) {
    const std::string more = connection.receive();
    if (more.empty()) break;
    request += more;
  }
  return request;
}

// Nobody answers at first, then the answers are refusals.
TEST_F(RulesE2e, AlertsAreSentAgainUntilTheyAreAccepted) {
  TcpListener listener;
  ServerProcess server(STATMILL_BIN,
                       options({"--rules.alertmanager", "http://" + listener.endpoint().text() + "/prefix"}));
  server.start();
  server.send("heat;room=attic 60\n");
  listener.accept().close();
  const auto answer = [&](std::string_view status) {
    TcpConnection connection = listener.accept();
    std::string request = receive_alerts(connection);
    connection.send("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 0\r\n\r\n");
    return request;
  };
  EXPECT_THAT(answer("503 Service Unavailable"), HasSubstr("POST /prefix/api/v2/alerts HTTP/1.1"));
  const std::string request = answer("200 OK");
  EXPECT_THAT(request, HasSubstr(R"("labels":{"alertname":"Hot","room":"attic","severity":"page"})"));
  EXPECT_THAT(request,
              HasSubstr(R"("generatorURL":"http://page.example.org/#/explore?p0.e=heat%3Aall%20%3E%2050")"));
  EXPECT_TRUE(server.wait_for_metric("statmill_alerts_sent_total", 1));
  EXPECT_EQ(server.metric("statmill_alert_requests_failed_total"), 2);
  listener.stop();
  EXPECT_EQ(server.stop(), 0);
}

// An Alertmanager that refuses one alert refuses all of the request.
TEST_F(RulesE2e, ARefusedAlertLosesNoOther) {
  TcpListener listener;
  ServerProcess server(STATMILL_BIN,
                       options({"--rules.alertmanager", "http://" + listener.endpoint().text()}));
  server.start();
  server.send("heat;room=attic 60\nheat;room=bad 70\nheat;room=cellar 80\n");
  const auto rooms = [&] {
    TcpConnection connection = listener.accept();
    const std::string request = receive_alerts(connection);
    std::string out;
    for (const std::string room : {"attic", "bad", "cellar"})
      out += request.find("\"room\":\"" + room + "\"") == std::string::npos ? "" : room + " ";
    const std::string status = out.find("bad") == std::string::npos ? "200 OK" : "400 Bad Request";
    connection.send("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
    return out;
  };
  EXPECT_EQ(rooms(), "attic bad cellar ");
  EXPECT_EQ(rooms(), "attic ");
  EXPECT_EQ(rooms(), "bad ");
  EXPECT_EQ(rooms(), "cellar ");
  EXPECT_TRUE(server.wait_for_metric("statmill_alerts_sent_total", 2));
  EXPECT_EQ(server.metric("statmill_alerts_dropped_total"), 1);
  EXPECT_GE(server.metric("statmill_alert_requests_failed_total"), 2);
  EXPECT_TRUE(server.process().wait_for_line("alerts=1 first=Hot")) << "not the request with all of them";
  listener.stop();
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(RulesE2e, AStopDoesNotWaitForTheLookupOfAnAlertmanager) {
  ServerProcess server(STATMILL_BIN, options({"--rules.alertmanager", "http://hung.test:9093"}));
  server.start(0, 0, {{"LD_PRELOAD", STATMILL_HUNG_NAMES}});
  server.send("heat;room=attic 60\n");
  ASSERT_TRUE(server.process().wait_for_line("the look-up hangs"));
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(RulesE2e, AlertmanagerGetsWhatFiresAndWhatEnds) {
  const std::string package = STATMILL_SOURCE_TREE "/build/unpacked/prometheus-alertmanager";
  if (!std::filesystem::exists(package))
    GTEST_SKIP() << package << " is not there: tools/install-packages --test";
  // Debian's program reads a template in /usr/share, where the package is not installed.
  const std::string run = "mount --bind " + package + "/share /usr/share && exec " + package +
                          "/bin/prometheus-alertmanager \"$@\"";
  if (run_program({"unshare", {"-rm", "true"}, {}}).status != 0)
    GTEST_SKIP() << "this system allows no namespace of mounts";
  const TempDirectory data;
  data.write("alertmanager.yml", "route: {receiver: none}\nreceivers: [{name: none}]\n");
  Process alertmanager({"unshare",
                        {"-rm", "sh", "-c", run, "alertmanager",
                         "--config.file=" + (data.path() / "alertmanager.yml").string(),
                         "--storage.path=" + (data.path() / "data").string(),
                         "--cluster.listen-address=", "--web.listen-address=127.0.0.1:0"},
                        {}});
  const auto line = alertmanager.wait_for_line("address=127.0.0.1:");
  ASSERT_TRUE(line) << alertmanager.standard_error();
  const size_t at = line->find("address=") + 8;
  const Endpoint endpoint = endpoint_of(line->substr(at, line->find_first_of(" \n", at) - at));
  ServerProcess server(STATMILL_BIN, options({"--rules.alertmanager", "http://" + endpoint.text(),
                                              "--rules.label", "site=eu"}));
  server.start();
  server.send("heat;room=attic 60\n");
  const auto alerts = [&] { return http_get(endpoint, "/api/v2/alerts").body; };
  ASSERT_TRUE(wait_until([&] { return alerts().find("attic") != std::string::npos; })) << alerts();
  EXPECT_THAT(alerts(),
              HasSubstr(R"("labels":{"alertname":"Hot","room":"attic","severity":"page","site":"eu"})"));
  EXPECT_THAT(alerts(), HasSubstr(R"("summary":"attic has 60 degrees")"));
  directory_.write("rules.yml", std::string(kRules).replace(std::string(kRules).find("> 50"), 4, "> 70"));
  EXPECT_TRUE(wait_until([&] { return alerts() == "[]\n"; })) << alerts();
  EXPECT_EQ(server.metric("statmill_alerts_dropped_total"), 0);
  EXPECT_EQ(server.stop(), 0);
  alertmanager.signal(SIGTERM);
  EXPECT_EQ(alertmanager.wait(), 0);
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// 100 of 2000 requests are at the threshold or above.
TEST_F(RulesE2e, AnObjectiveCountsWhatIsBelowItsThreshold) {
  const Ended slo = run_program(
      {STATMILL_BIN "/statmill", {"slo", "shop", "--latency", "shop.latency_ns", "--below", "250ms"}, {}});
  ASSERT_EQ(slo.status, 0) << slo.said;
  std::string rules = replaced(slo.out, "interval: 10m", "interval: 1s\n    query_offset: 0");
  rules = replaced(rules, "interval: 1m", "interval: 1s\n    query_offset: 0");
  directory_.write("rules.yml", rules);
  ServerProcess server(STATMILL_BIN, options());
  server.start();
  std::string lines;
  for (int i = 0; i < 2000; ++i)
    lines += "%shop.latency_ns " + std::string(i < 100 ? "251658240\n" : "251658239\n");
  server.send(lines);
  const auto value = [&](const std::string& query) {
    const std::string answer = server.get("/prometheus/api/v1/query?query=" + query);
    const size_t at = answer.find("\"value\":[");
    if (at == std::string::npos) return -1000.0;
    return std::stod(answer.substr(answer.find(",\"", at) + 2));
  };
  ASSERT_TRUE(wait_until([&] { return value("slo:budget_left") > -1000; }))
      << server.get("/prometheus/api/v1/rules");
  EXPECT_TRUE(wait_until([&] { return std::abs(value("slo:bad_ratio:5m") - 0.05) < 1e-12; }));
  EXPECT_TRUE(wait_until([&] { return std::abs(value("slo:budget_left") - -49) < 1e-9; }));
  EXPECT_TRUE(wait_until([&] { return has(server, kAlerts, "BudgetBurnsFast"); }));
  EXPECT_THAT(server.get(kAlerts), HasSubstr("The objective shop is missed: 5% are bad, 0.1% are allowed"));
  EXPECT_THAT(server.get("/prometheus/api/v1/rules"), Not(HasSubstr("lastError")));
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(RulesE2e, PromtoolAcceptsTheExamples) {
  const std::string folder = STATMILL_SOURCE_TREE "/examples/rules";
  const Ended check = run_program({STATMILL_BIN "/statmilld", {"--check-config", "--rules", folder}, {}});
  EXPECT_EQ(check.status, 0) << check.said;
  const std::string promtool = STATMILL_SOURCE_TREE "/build/unpacked/prometheus/bin/promtool";
  if (!std::filesystem::exists(promtool))
    GTEST_SKIP() << promtool << " is not there: tools/install-packages --test";
  const Ended ended =
      run_program({promtool, {"check", "rules", folder + "/hosts.yml", folder + "/statmill.yml"}, {}});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.said;
  for (const std::vector<std::string>& slo :
       {std::vector<std::string>{"slo", "a", "--latency", "a.b_ns{c=\"d\"}", "--below", "1ms", "--by", "c"},
        {"slo", "b", "--bad", "errors", "--total", "requests"},
        {"slo", "c", "--latency", "x_bucket", "--below", "0.5"}}) {
    const std::string file =
        directory_.write("slo.yml", run_program({STATMILL_BIN "/statmill", slo, {}}).out);
    const Ended checked = run_program({promtool, {"check", "rules", file}, {}});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.said;
    EXPECT_THAT(checked.out, HasSubstr("SUCCESS: 11 rules found"));
  }
  EXPECT_THAT(ended.out, HasSubstr("SUCCESS"));
}

}  // namespace
}  // namespace statmill
