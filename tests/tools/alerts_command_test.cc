// `statmill alerts`: what it prints of the server's answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/fake_server.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRules =
    R"({"status":"success","data":{"groups":[{"name":"g","file":"f","rules":[)"
    R"({"state":"firing","name":"Down","query":"up == 0","health":"ok","type":"alerting","alerts":[)"
    R"({"labels":{"alertname":"Down","job":"a\"b"},"annotations":{"summary":"=is down"},"state":"firing",)"
    R"("activeAt":"2023-11-14T22:12:50Z","value":"0"}]},)"
    R"({"name":"r","query":"x","health":"err","lastError":"too much","type":"recording"}]}]}})";

TEST(AlertsCommand, PrintsWhatFires) {
  const FakeServer server(200, kRules);
  const Outcome out = run_command(server.url(), {"alerts"});
  EXPECT_EQ(out.code, ExitCode::kOk) << out.messages;
  EXPECT_EQ(out.output,
            "state   alert  for  value  summary   labels\n"
            "firing  Down   30s      0  =is down  job=\"a\\\"b\"\n");
  EXPECT_THAT(server.requests(), ElementsAre("GET /prometheus/api/v1/rules"));
}

TEST(AlertsCommand, PrintsRulesWithTheirFaults) {
  const FakeServer server(200, kRules);
  EXPECT_EQ(run_command(server.url(), {"alerts", "--rules"}).output,
            "health  group  rule  type       fault\n"
            "ok      g      Down  alerting\n"
            "err     g      r     recording  too much\n");
  EXPECT_EQ(run_command(server.url(), {"alerts", "--rules", "--format", "csv"}).output,
            "health,group,rule,type,expression,fault\n"
            "ok,g,Down,alerting,up == 0,\n"
            "err,g,r,recording,x,too much\n");
  EXPECT_EQ(run_command(server.url(), {"alerts", "--format", "csv"}).output,
            "state,alert,since,value,summary,labels\n"
            "firing,Down,2023-11-14T22:12:50Z,0,\"'=is down\",\"job=\"\"a\\\"\"b\"\"\"\n");
}

TEST(AlertsCommand, SaysWhenThereIsNothing) {
  const FakeServer none(200, R"({"status":"success","data":{"groups":[]}})");
  EXPECT_EQ(run_command(none.url(), {"alerts"}).messages, "statmill: the server has no rules (--rules)\n");
  const FakeServer quiet(200, R"({"status":"success","data":{"groups":[{"name":"g","file":"f","rules":[)"
                              R"({"name":"r","query":"x","health":"ok","type":"recording"}]}]}})");
  EXPECT_EQ(run_command(quiet.url(), {"alerts"}).messages, "statmill: no alert is pending or firing\n");
  const FakeServer strange(200, "{}");
  EXPECT_THAT(run_command(strange.url(), {"alerts"}).messages, HasSubstr("is not as expected"));
}

}  // namespace
}  // namespace statmill
