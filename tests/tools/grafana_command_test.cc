// `statmill grafana provision`: the files that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/temp_directory.h"
#include "tests/tools/run_command.h"
#include "tools/statmill/grafana/dashboard.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

class GrafanaCommand : public testing::Test {
 protected:
  Outcome provision(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"grafana", "provision", directory_.path().string()});
    return run_command("http://127.0.0.1:8112", options);
  }
  std::string read(const std::string& file) const {
    std::ifstream stream(directory_.path() / file);
    std::ostringstream out;
    out << stream.rdbuf();
    return out.str();
  }

  const TempDirectory directory_;
};

TEST_F(GrafanaCommand, WritesASourceAProviderAndTheDashboards) {
  const Outcome out = provision();
  EXPECT_EQ(out.code, ExitCode::kOk) << out.messages;
  const std::string root = directory_.path().string();
  EXPECT_EQ(out.output, root + "/datasources/statmill.yaml\n" + root + "/dashboards/statmill.yaml\n" + root +
                            "/dashboards/statmill/statmill-fleet.json\n" + root +
                            "/dashboards/statmill/statmill-host.json\n" + root +
                            "/dashboards/statmill/statmill-programs.json\n" + root +
                            "/dashboards/statmill/statmill-server.json\n");
  EXPECT_EQ(read("datasources/statmill.yaml"), R"(# Written by `statmill grafana provision`.
apiVersion: 1
datasources:
  - name: statmill
    uid: statmill
    type: prometheus
    access: proxy
    url: "http://127.0.0.1:8112/prometheus"
    jsonData:
      httpMethod: POST
      timeInterval: 10s  # the finest slots
  - name: statmill-graphite
    uid: statmill-graphite
    type: graphite
    access: proxy
    url: "http://127.0.0.1:8112/graphite"
    jsonData:
      graphiteVersion: "1.1"
)");
  EXPECT_THAT(read("dashboards/statmill.yaml"), HasSubstr("path: \"" + root + "/dashboards/statmill\"\n"));
}

TEST_F(GrafanaCommand, ReplacesTheFilesOfAnEarlierRunAndNoOthers) {
  std::filesystem::create_directories(directory_.path() / "datasources");
  std::ofstream(directory_.path() / "datasources/other.yaml") << "other";
  provision({"--url", "http://old.example.org"});
  EXPECT_EQ(provision({"--url", "https://new.example.org/"}).code, ExitCode::kOk);
  EXPECT_THAT(read("datasources/statmill.yaml"), HasSubstr("url: \"https://new.example.org/prometheus\"\n"));
  EXPECT_EQ(read("datasources/other.yaml"), "other");
}

TEST_F(GrafanaCommand, GrafanaReadsTheTokenFromItsEnvironment) {
  provision({"--token"});
  EXPECT_THAT(read("datasources/statmill.yaml"),
              HasSubstr("    secureJsonData:\n      httpHeaderValue1: Bearer $STATMILL_TOKEN "));
  EXPECT_THAT(read("datasources/statmill.yaml"),
              HasSubstr("      graphiteVersion: \"1.1\"\n      httpHeaderName1: Authorization\n"));
}

TEST_F(GrafanaCommand, AUrlCannotAddLinesOrVariables) {
  provision({"--url", R"(http://a"\b$HOME)"});
  EXPECT_THAT(read("datasources/statmill.yaml"),
              HasSubstr("    url: \"http://a\\\"\\\\b$$HOME/prometheus\"\n"));
  for (const char* bad : {"ftp://a", "http://a\nb: c", "http://a b", ""}) {
    const Outcome out = provision({"--url", bad});
    EXPECT_EQ(out.code, ExitCode::kUsage) << bad;
    EXPECT_THAT(out.messages, HasSubstr("is not a URL such as")) << bad;
  }
}

TEST_F(GrafanaCommand, SaysWhatItCannotDo) {
  EXPECT_EQ(run_command("http://a", {"grafana", "install", "x"}).code, ExitCode::kUsage);
  std::ofstream(directory_.path() / "datasources") << "a file";
  const Outcome out = provision();
  EXPECT_EQ(out.code, ExitCode::kFailed);
  EXPECT_THAT(out.messages, HasSubstr("datasources"));
}

class Dashboards : public testing::TestWithParam<GrafanaDashboard (*)()> {};

TEST_P(Dashboards, HavePanelsThatDoNotOverlapAndAskTheSource) {
  const auto document = boost::json::parse(dashboard_json(GetParam()()));
  EXPECT_EQ(document.at("uid").as_string(), GetParam()().uid);
  std::set<int64_t> ids;
  std::set<std::pair<int64_t, int64_t>> cells;
  for (const auto& panel : document.at("panels").as_array()) {
    EXPECT_TRUE(ids.insert(panel.at("id").as_int64()).second);
    const auto& place = panel.at("gridPos");
    const int64_t x = place.at("x").as_int64();
    const int64_t y = place.at("y").as_int64();
    for (int64_t i = x; i < x + place.at("w").as_int64(); ++i) {
      EXPECT_LT(i, 24);
      for (int64_t j = y; j < y + place.at("h").as_int64(); ++j)
        EXPECT_TRUE(cells.emplace(i, j).second) << panel.at("title") << " overlaps";
    }
    if (panel.at("type") == "row") continue;
    for (const auto& target : panel.at("targets").as_array()) {
      EXPECT_EQ(target.at("datasource").at("uid"), boost::json::value(kGrafanaSource));
      EXPECT_THAT(std::string(target.at("expr").as_string()), Not(HasSubstr("\n")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Dashboards,
                         testing::Values(fleet_dashboard, host_dashboard, programs_dashboard,
                                         server_dashboard));

}  // namespace
}  // namespace statmill
