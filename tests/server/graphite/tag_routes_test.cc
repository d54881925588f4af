// What Graphite's routes say about tags: their forms are those of graphite-web 1.1.
#include "server/graphite/tag_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/graphite/names_world.h"

namespace statmill::graphite {
namespace {

using testing::HasSubstr;

class GraphiteTagRoutes : public testing::Test {
 protected:
  GraphiteTagRoutes() {
    for (const char* name : {"disk.used;dc=a;server=web1", "disk.used;dc=b;server=web2",
                             "disk.free;dc=a;server=db", "load;server=web1", "uptime"})
      world_.add(name);
  }
  std::string get(const std::string& target) {
    const HttpResponse response = world_.get(target);
    EXPECT_EQ(response.status, 200U) << response.body;
    return response.body;
  }
  NamesWorld world_;
};

TEST_F(GraphiteTagRoutes, TheTagsOfAllSeriesHaveTheName) {
  EXPECT_EQ(get("/tags"), R"([{"tag":"dc"},{"tag":"name"},{"tag":"server"}])"
                          "\n");
  EXPECT_EQ(get("/tags?filter=s"), "[{\"tag\":\"server\"}]\n");
  EXPECT_EQ(get("/tags?filter=.*e$&limit=1"), "[{\"tag\":\"name\"}]\n");
  EXPECT_EQ(get("/tags?limit=0"), "[]\n");
}

TEST_F(GraphiteTagRoutes, ATagHasItsValuesAndHowManySeriesHaveThem) {
  EXPECT_EQ(get("/tags/dc"), R"({"tag":"dc","values":[{"value":"a","count":2},{"value":"b","count":1}]})"
                             "\n");
  EXPECT_EQ(get("/tags/server?filter=web&limit=1"),
            "{\"tag\":\"server\",\"values\":[{\"value\":\"web1\",\"count\":2}]}\n");
  EXPECT_EQ(get("/tags/name?filter=disk"),
            R"({"tag":"name","values":[{"value":"disk.free","count":1},{"value":"disk.used","count":2}]})"
            "\n");
  EXPECT_EQ(get("/tags/nothing"), "null\n");
}

TEST_F(GraphiteTagRoutes, SeriesAreFoundByExpressions) {
  EXPECT_EQ(get("/tags/findSeries?expr=name%3Ddisk.used&expr=dc%3Da"), "[\"disk.used;dc=a;server=web1\"]\n");
  EXPECT_EQ(get("/tags/findSeries?expr%5B%5D=server%3D~web&expr%5B%5D=dc%3D"), "[\"load;server=web1\"]\n");
  EXPECT_EQ(get("/tags/findSeries?expr=name!%3D&expr=server%3D"), "[\"uptime\"]\n");
  EXPECT_EQ(get("/tags/findSeries?expr=server!%3D~web&expr=server!%3D"), "[\"disk.free;dc=a;server=db\"]\n");
}

TEST_F(GraphiteTagRoutes, TagsAreCompleted) {
  EXPECT_EQ(get("/tags/autoComplete/tags"), "[\"dc\",\"name\",\"server\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/tags?tagPrefix=se"), "[\"server\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/tags?expr=name%3Ddisk.used"), "[\"dc\",\"server\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/tags?expr=name%3Dload"), "[\"server\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/tags?expr=dc!%3D&limit=1"), "[\"name\"]\n");
}

TEST_F(GraphiteTagRoutes, ValuesAreCompleted) {
  EXPECT_EQ(get("/tags/autoComplete/values?tag=server"), "[\"db\",\"web1\",\"web2\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?tag=server&valuePrefix=web&limit=1"), "[\"web1\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?tag=server&valuePrefix=w.b"), "[]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?tag=name&expr=dc%3Da"), "[\"disk.free\",\"disk.used\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?tag=nothing"), "[]\n");
}

TEST_F(GraphiteTagRoutes, WithoutALimitAHundredAreCompleted) {
  for (int i = 0; i < 120; ++i) world_.add("many;number=" + std::to_string(1000 + i));
  const auto count = [](const std::string& list) { return std::count(list.begin(), list.end(), ',') + 1; };
  EXPECT_EQ(count(get("/tags/autoComplete/values?tag=number")), 100);
  EXPECT_EQ(count(get("/tags/autoComplete/values?tag=number&limit=110")), 110);
}

TEST_F(GraphiteTagRoutes, AnnouncedSeriesGetTheirNameAndAreNotMade) {
  const auto post = [this](std::string_view target, std::string_view form) {
    return world_.post(target, form).body;
  };
  EXPECT_EQ(post("/tags/tagSeries", "path=new%3Bz%3D1%3Ba%3D2"), "\"new;a=2;z=1\"\n");
  EXPECT_EQ(post("/tags/tagSeries?path=new;z=1;a=2", ""), "\"new;a=2;z=1\"\n");
  EXPECT_EQ(post("/tags/tagSeries", "path=new%7Bz%3D%221%22%2Ca%3D%222%22%7D"), "\"new;a=2;z=1\"\n");
  EXPECT_EQ(post("/tags/tagMultiSeries", "path=b%3Bx%3D1&path=a%3By%3D2"), "[\"b;x=1\",\"a;y=2\"]\n");
  EXPECT_EQ(post("/graphite/tags/tagMultiSeries", "path%5B%5D=b%3Bx%3D1"), "[\"b;x=1\"]\n");
  EXPECT_EQ(get("/tags/findSeries?expr=name%3Dnew"), "[]\n");
  EXPECT_EQ(world_.post("/tags/tagSeries", "").status, 400U);
  EXPECT_EQ(world_.post("/tags/tagSeries", "path=").status, 400U);
  EXPECT_EQ(world_.post("/tags/tagMultiSeries", "path=a&path=b%3Bc").status, 400U);
  EXPECT_EQ(world_.post("/tags/tagSeries", "path=%zz").status, 400U);
}

TEST_F(GraphiteTagRoutes, NothingIsDeleted) {
  const HttpResponse refused = world_.post("/tags/delSeries", "path=uptime");
  EXPECT_EQ(refused.status, 501U);
  EXPECT_THAT(refused.body, HasSubstr("statmill delete"));
  EXPECT_EQ(get("/tags/findSeries?expr=name%3Duptime"), "[\"uptime\"]\n");
}

TEST_F(GraphiteTagRoutes, EachRouteIsBelowGraphiteToo) {
  for (const char* target : {"/tags", "/tags/dc", "/tags/findSeries?expr=dc%3Da", "/tags/autoComplete/tags",
                             "/tags/autoComplete/values?tag=dc"})
    EXPECT_EQ(get("/graphite" + std::string(target)), get(target)) << target;
}

TEST_F(GraphiteTagRoutes, WrongParametersAreNamed) {
  struct Case {
    std::string target, want;
  };
  const std::vector<Case> cases = {
      {"/tags?limit=x", "parameter limit"},
      {"/tags?limit=-1", "parameter limit"},
      {"/tags?filter=(", "parameter filter"},
      {"/tags/dc?filter=(?=a)", "parameter filter"},
      {"/tags/findSeries", "parameter expr"},
      {"/tags/findSeries?expr=dc%3D", "parameter expr"},
      {"/tags/findSeries?expr=dc", "parameter expr"},
      {"/tags/autoComplete/tags?expr=dc%3D~(", "parameter expr"},
      {"/tags/autoComplete/values", "parameter tag is missing"},
  };
  for (const auto& [target, want] : cases) {
    const HttpResponse response = world_.get(target);
    EXPECT_EQ(response.status, 400U) << target;
    EXPECT_THAT(response.body, HasSubstr(want)) << target;
  }
}

TEST_F(GraphiteTagRoutes, TheLimitsOfAQueryHold) {
  for (const char* target :
       {"/tags/findSeries?expr=name!%3D", "/tags/autoComplete/values?tag=server", "/tags/server"}) {
    QueryControl few({.selected_max = 2});
    EXPECT_EQ(world_.query(target, few).status, 422U) << target;
    QueryControl stopped;
    stopped.stop(QueryStop::kAdmin);
    EXPECT_EQ(world_.query(target, stopped).status, 503U) << target;
  }
}

// The targets that Grafana 11 sends: template variables, and the editor of seriesByTag().
TEST_F(GraphiteTagRoutes, GrafanasRequestsAreAnswered) {
  EXPECT_EQ(get("/tags/autoComplete/tags?expr=name%3Ddisk.used&limit=10000&from=-6h&until=now"),
            "[\"dc\",\"server\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?expr=name%3Ddisk.used&tag=server&limit=10000"),
            "[\"web1\",\"web2\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/tags?tagPrefix=d&limit=100"), "[\"dc\"]\n");
  EXPECT_EQ(get("/tags/autoComplete/values?tag=name&valuePrefix=disk&limit=100"),
            "[\"disk.free\",\"disk.used\"]\n");
}

}  // namespace
}  // namespace statmill::graphite
