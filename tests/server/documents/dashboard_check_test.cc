#include "server/documents/dashboard_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "server/documents/builtin_dashboards.h"

namespace statmill {
namespace {

std::string with_panel(const std::string& panel) {
  return R"({"format":1,"title":"x","vars":[{"name":"host","from":"tag:host"}],"panels":[)" + panel + "]}";
}

TEST(DashboardCheckTest, FindsWhatListsShow) {
  const DashboardCheck check = check_dashboard(
      R"({"format":1,"title":"Disks","folder":"team-a","notes":"","vars":[{"name":"host","from":"host.*"}],)"
      R"("time":{"from":"-6h","until":5},"later":[1],"panels":[{"at":[0,0,6,2],"kind":"heatmap",)"
      R"("title":"reads","series":["$host.block.*"],"stats":["p99"],"y":"log","repeat":"host","own":1},)"
      R"({"at":[6,0,6,2],"expr":"sum"},{"at":[0,2,12,3],"kind":"table","row":"tag:host","match":"{dc=\"fra\"}",)"
      R"("columns":["a.b:avg",{"column":"a.c:rate:max","title":"c","unit":"ns"}],"sort":"-0","spark":"0"}]})");
  EXPECT_EQ(check.faults, std::vector<DashboardFault>());
  EXPECT_EQ(check.summary.title, "Disks");
  EXPECT_EQ(check.summary.folder, "team-a");
  EXPECT_EQ(check.summary.panels, 3U);
}

TEST(DashboardCheckTest, SaysWhereAFaultIs) {
  struct Case {
    std::string text;
    std::string at;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"[]", "", "the body is not a JSON object"},
      {R"({"title":"x","panels":[]})", "/format", "must be 1"},
      {R"({"format":2,"title":"x","panels":[]})", "/format", "must be 1"},
      {R"({"format":1,"panels":[]})", "/title", "is missing or empty"},
      {R"({"format":1,"title":"x"})", "/panels", "is missing"},
      {R"({"format":1,"title":"x","panels":{}})", "/panels", "must be an array"},
      {R"({"format":1,"title":"x","panels":[],"folder":1})", "/folder", "must be a text"},
      {R"({"format":1,"title":"x","panels":[],"time":"-1h"})", "/time", "must be an object"},
      {R"({"format":1,"title":"x","panels":[],"time":{"from":[]}})", "/time/from",
       "must be a text or a number"},
      {R"({"format":1,"title":"x","panels":[],"vars":[1]})", "/vars/0", "must be an object"},
      {R"({"format":1,"title":"x","panels":[],"vars":[{"name":"a b"}]})", "/vars/0/name",
       "must be of letters, digits and _"},
      {R"({"format":1,"title":"x","panels":[],"vars":[{"name":"a"},{"name":"a"}]})", "/vars/1/name",
       "is the name of another variable"},
      {with_panel("1"), "/panels/0", "must be an object"},
      {with_panel("{}"), "/panels/0/at", "must be an array of column, row, width and height"},
      {with_panel(R"({"at":[0,0,6]})"), "/panels/0/at", "must be an array of column, row, width and height"},
      {with_panel(R"({"at":[0,0,0,1]})"), "/panels/0/at/2", "must be an integer from 1 to 10000"},
      {with_panel(R"({"at":[0,1.5,6,1]})"), "/panels/0/at/1", "must be an integer from 0 to 10000"},
      {with_panel(R"({"at":[7,0,6,1]})"), "/panels/0/at", "there are 12 columns"},
      {with_panel(R"({"at":[0,0,6,1],"series":"a"})"), "/panels/0/series", "must be an array"},
      {with_panel(R"({"at":[0,0,6,1],"series":["a",""]})"), "/panels/0/series/1", "is empty"},
      {with_panel(R"({"at":[0,0,6,1],"series":["a",{}]})"), "/panels/0/series/1", "must be a text"},
      {with_panel(R"({"at":[0,0,6,1],"row":"tag:host"})"), "/panels/0/columns", "is missing"},
      {with_panel(R"({"at":[0,0,6,1],"row":"tag:host","columns":"a"})"), "/panels/0/columns",
       "must be an array"},
      {with_panel(R"({"at":[0,0,6,1],"row":"tag:host","columns":["a:avg",""]})"), "/panels/0/columns/1",
       "is missing or empty"},
      {with_panel(R"({"at":[0,0,6,1],"row":"tag:host","columns":[{"title":"a"}]})"),
       "/panels/0/columns/0/column", "is missing or empty"},
      {with_panel(R"({"at":[0,0,6,1],"row":"tag:host","columns":[1]})"), "/panels/0/columns/0",
       "must be a text"},
      {with_panel(R"({"at":[0,0,6,1],"row":1})"), "/panels/0/row", "must be a text"},
      {with_panel(R"({"at":[0,0,6,1],"repeat":"dc"})"), "/panels/0/repeat", "there is no variable \"dc\""},
  };
  for (const Case& c : cases) {
    const std::vector<DashboardFault> want = {{c.at, c.error}};
    EXPECT_EQ(check_dashboard(c.text).faults, want) << c.text;
  }
}

TEST(DashboardCheckTest, ReportsAllFaultsUpToALimit) {
  EXPECT_EQ(check_dashboard("{}").faults.size(), 3U);
  std::string panels = "1";
  for (int i = 0; i < 100; ++i) panels += ",1";
  EXPECT_EQ(check_dashboard(with_panel(panels)).faults.size(), kDashboardFaultsMax);
  for (int i = 0; i < 100; ++i) panels += ",1";
  EXPECT_EQ(check_dashboard(with_panel(panels)).faults,
            (std::vector<DashboardFault>{{"/panels", "has more than 200 elements"}}));
}

TEST(DashboardCheckTest, DeepTextsAreRefused) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_EQ(check_dashboard(with_panel(deep)).faults.size(), 1U);
}

TEST(DashboardCheckTest, IdsAreShortAndPlain) {
  for (const char* id : {"a", "disks-2", "-"}) EXPECT_TRUE(is_dashboard_id(id)) << id;
  EXPECT_TRUE(is_dashboard_id(std::string(64, 'a')));
  for (const char* id : {"", "A", "a.b", "a/b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_dashboard_id(id)) << id;
  EXPECT_FALSE(is_dashboard_id(std::string(65, 'a')));
}

std::string content_of(const std::string& path) {
  std::ifstream in(std::string(STATMILL_SOURCE_TREE) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(BuiltinDashboards, AreValidAndHaveFamiliesThatExist) {
  const std::string series = content_of("docs/series.md");
  const std::string metrics = content_of("docs/metrics.md");
  std::set<std::string> ids;
  for (const BuiltinDashboard& one : builtin_dashboards()) {
    EXPECT_TRUE(is_dashboard_id(one.id));
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_EQ(check_dashboard(one.text).faults, std::vector<DashboardFault>()) << one.id;
    const std::regex path(R"(\"[{]?((?:host|statmill)\.[a-z0-9_.]+)[;,:])");
    size_t found = 0;
    for (auto at = std::sregex_iterator(one.text.begin(), one.text.end(), path); at != std::sregex_iterator();
         ++at, ++found) {
      const std::string name = (*at)[1];
      if (name.starts_with("host.")) {
        EXPECT_NE(series.find("| `" + name + "` |"), std::string::npos) << name;
        continue;
      }
      std::string metric = std::regex_replace(name, std::regex("\\."), "_");
      metric = std::regex_replace(metric, std::regex("_ns$"), "_seconds");
      EXPECT_NE(metrics.find("| `" + metric), std::string::npos) << name;
    }
    EXPECT_GE(found, check_dashboard(one.text).summary.panels) << one.text;
  }
  EXPECT_EQ(ids.size(), 10U);
}

}  // namespace
}  // namespace statmill
