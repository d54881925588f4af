// What Graphite's routes say about paths: their forms are those of graphite-web 1.1.
#include "server/graphite/find_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/graphite/find_query.h"
#include "tests/server/graphite/names_world.h"

namespace statmill::graphite {
namespace {

using testing::HasSubstr;

std::string branch(const std::string& text, const std::string& id) {
  return R"({"text":")" + text + R"(","id":")" + id + R"(","allowChildren":1,"expandable":1,"leaf":0})";
}
std::string leaf(const std::string& text, const std::string& id) {
  return R"({"text":")" + text + R"(","id":")" + id + R"(","allowChildren":0,"expandable":0,"leaf":1})";
}

class GraphiteFind : public testing::Test {
 protected:
  GraphiteFind() {
    for (const char* name : {"host.web1.cpu.idle", "host.web1.cpu.user", "host.web2.cpu.idle", "host.web2",
                             "host.db.load", "uptime", "requests;dc=a", "host.tagged;dc=a"})
      world_.add(name);
  }
  std::string find(const std::string& parameters) {
    const HttpResponse response = world_.get("/metrics/find?" + parameters);
    EXPECT_EQ(response.status, 200U) << response.body;
    return response.body;
  }
  NamesWorld world_;
};

TEST_F(GraphiteFind, ATreeHasBranchesThenLeavesEachByName) {
  EXPECT_EQ(find("query=*"), "[" + branch("host", "host") + "," + leaf("uptime", "uptime") + "]\n");
  EXPECT_EQ(find("query=host.*"), "[" + branch("db", "host.db") + "," + branch("web1", "host.web1") + "," +
                                      branch("web2", "host.web2") + "]\n");
  EXPECT_EQ(find("query=host.db.*"), "[" + leaf("load", "host.db.load") + "]\n");
  EXPECT_EQ(find("query=host.web1.cpu.idle"), "[" + leaf("idle", "host.web1.cpu.idle") + "]\n");
}

TEST_F(GraphiteFind, ANameIsListedOnceAndItsIdKeepsTheGlob) {
  EXPECT_EQ(find("query=host.*.cpu.*"),
            "[" + leaf("idle", "host.*.cpu.idle") + "," + leaf("user", "host.*.cpu.user") + "]\n");
  EXPECT_EQ(find("query=host.{web1,db}.*"),
            "[" + branch("cpu", "host.{web1,db}.cpu") + "," + leaf("load", "host.{web1,db}.load") + "]\n");
  EXPECT_EQ(find("query=host.web%5B12%5D.cp?.i*"), "[" + leaf("idle", "host.web[12].cp?.idle") + "]\n");
}

TEST_F(GraphiteFind, NothingIsAnEmptyList) {
  for (const char* query : {"nothing", "host.nothing.*", "host.", ".host", "host..web1", "requests",
                            "host.tagged", "host.web1.cpu.idle.more", "HOST.*"})
    EXPECT_EQ(find("query=" + std::string(query)), "[]\n") << query;
}

TEST_F(GraphiteFind, OptionsAreThoseOfGraphite) {
  EXPECT_EQ(find("query=host.*&leavesOnly=1"), "[" + leaf("web2", "host.web2") + "]\n");
  EXPECT_EQ(find("query=*&wildcards=1"),
            "[" + branch("*", "*") + "," + branch("host", "host") + "," + leaf("uptime", "uptime") + "]\n");
  EXPECT_EQ(find("query=host.web1.cpu.*&wildcards=1"), "[" + leaf("*", "host.web1.cpu.*") + "," +
                                                           leaf("idle", "host.web1.cpu.idle") + "," +
                                                           leaf("user", "host.web1.cpu.user") + "]\n");
  EXPECT_EQ(find("query=host.db.*&wildcards=1"), "[" + leaf("load", "host.db.load") + "]\n");
  EXPECT_EQ(find("query=uptime&from=undefined&until=undefined&unknown=1"),
            "[" + leaf("uptime", "uptime") + "]\n");
  EXPECT_EQ(find("query=uptime&from=-6h&until=now"), find("query=uptime"));
}

TEST_F(GraphiteFind, ACompleterGetsWhatMayFollow) {
  const auto node = [](const std::string& path, const std::string& name, int is_leaf) {
    return R"({"path":")" + path + R"(","name":")" + name + R"(","is_leaf":")" + std::to_string(is_leaf) +
           "\"}";
  };
  EXPECT_EQ(find("format=completer&query=ho"), "{\"metrics\":[" + node("host.", "host", 0) + "]}\n");
  EXPECT_EQ(find("format=completer&query=host.w"), "{\"metrics\":[" + node("host.web1.", "web1", 0) + "," +
                                                       node("host.web2.", "web2", 0) + "," +
                                                       node("host.web2", "web2", 1) + "]}\n");
  EXPECT_EQ(find("format=completer&query=h..db.&wildcards=1"),
            "{\"metrics\":[" + node("host.db.load", "load", 1) + "]}\n");
  EXPECT_EQ(find("format=completer&query=host.web1.cpu.&wildcards=1"),
            "{\"metrics\":[" + node("host.web1.cpu.idle", "idle", 1) + "," +
                node("host.web1.cpu.user", "user", 1) + ",{\"name\":\"*\"}]}\n");
  EXPECT_EQ(find("format=completer&query=host.web1,db.l&automatic_variants=1"),
            "{\"metrics\":[" + node("host.db.load", "load", 1) + "]}\n");
  EXPECT_EQ(find("format=completer&query=nothing"), "{\"metrics\":[]}\n");
}

TEST_F(GraphiteFind, ExpandGivesWholePaths) {
  const auto expand = [this](const std::string& parameters) {
    return world_.get("/metrics/expand?" + parameters).body;
  };
  EXPECT_EQ(expand("query=host.*"), "{\"results\":[\"host.db\",\"host.web1\",\"host.web2\"]}\n");
  EXPECT_EQ(expand("query=host.*&leavesOnly=1"), "{\"results\":[\"host.web2\"]}\n");
  EXPECT_EQ(expand("query=host.w*&query=*&query=host.web1"),
            "{\"results\":[\"host\",\"host.web1\",\"host.web2\",\"uptime\"]}\n");
  EXPECT_EQ(expand("query=u*&query=nothing&groupByExpr=1"),
            "{\"results\":{\"nothing\":[],\"u*\":[\"uptime\"]}}\n");
  EXPECT_EQ(expand(""), "{\"results\":[]}\n");
}

TEST_F(GraphiteFind, TheIndexHasAllPathsWithoutTags) {
  EXPECT_EQ(
      world_.get("/metrics/index.json").body,
      R"(["host.db.load","host.web1.cpu.idle","host.web1.cpu.user","host.web2","host.web2.cpu.idle","uptime"])"
      "\n");
  EXPECT_EQ(NamesWorld().get("/metrics/index.json").body, "[]\n");
}

TEST_F(GraphiteFind, TheVersionIsBareText) {
  const HttpResponse response = world_.get("/version");
  EXPECT_EQ(response.body, "1.1.10");
  EXPECT_EQ(response.content_type, kPlainText);
}

TEST_F(GraphiteFind, EachRouteIsBelowGraphiteToo) {
  for (const char* target :
       {"/metrics/find?query=*", "/metrics/expand?query=*", "/metrics/index.json", "/version"})
    EXPECT_EQ(world_.get("/graphite" + std::string(target)).body, world_.get(target).body) << target;
}

TEST_F(GraphiteFind, WrongParametersAreNamed) {
  struct Case {
    std::string target, want;
  };
  const std::vector<Case> cases = {
      {"/metrics/find", "parameter query is missing"},
      {"/metrics/find?query=", "parameter query is empty"},
      {"/metrics/find?query=*&format=pickle", "parameter format: it is treejson or completer"},
      {"/metrics/find?query=*&wildcards=yes", "parameter wildcards"},
      {"/metrics/find?query=*&leavesOnly=", "parameter leavesOnly"},
      {"/metrics/find?query=*&jsonp=alert", "parameter jsonp"},
      {"/metrics/find?query=a%7B", "{ without }"},
      {"/metrics/expand?query=*&groupByExpr=x", "parameter groupByExpr"},
      {"/metrics/expand?query=*&jsonp=alert", "parameter jsonp"},
      {"/metrics/index.json?jsonp=alert", "parameter jsonp"},
  };
  for (const auto& [target, want] : cases) {
    const HttpResponse response = world_.get(target);
    EXPECT_EQ(response.status, 400U) << target;
    EXPECT_THAT(response.body, HasSubstr(want)) << target;
  }
  std::string many = "/metrics/expand?query=a";
  for (size_t i = 0; i < kExpandQueriesMax; ++i) many += "&query=a" + std::to_string(i);
  EXPECT_EQ(world_.get(many).status, 422U);
}

TEST_F(GraphiteFind, NamesWithEscapesAreFoundByWhatTheyMean) {
  world_.add("disk.C:%20drive.free");
  EXPECT_EQ(find("query=disk.C:+drive.*"), "[" + leaf("free", "disk.C: drive.free") + "]\n");
  EXPECT_EQ(find("query=disk.*"), "[" + branch("C: drive", "disk.C:%20drive") + "]\n");
}

TEST_F(GraphiteFind, TheMemoryOfAQueryIsALimit) {
  for (const char* target :
       {"/metrics/find?query=*.*.*.*", "/metrics/expand?query=*.*.*.*", "/metrics/index.json"}) {
    QueryControl little({.memory_bytes_max = 200});
    const HttpResponse refused = world_.query(target, little);
    EXPECT_EQ(refused.status, 422U) << target;
    EXPECT_THAT(refused.body, HasSubstr("query.memory")) << target;
    QueryControl stopped;
    stopped.stop(QueryStop::kAdmin);
    EXPECT_EQ(world_.query(target, stopped).status, 503U) << target;
  }
}

// The bodies and targets that Grafana 11 sends.
TEST_F(GraphiteFind, GrafanasRequestsAreAnswered) {
  const HttpResponse variable = world_.post("/metrics/find?from=undefined&until=undefined", "query=host.*");
  EXPECT_EQ(variable.body, find("query=host.*"));
  const HttpResponse editor = world_.post("/graphite/metrics/find?from=-6h&until=now", "query=host.web1.*");
  EXPECT_EQ(editor.body, "[" + branch("cpu", "host.web1.cpu") + "]\n");
  EXPECT_EQ(world_.get("/metrics/expand?query=host.*.cpu&from=-6h&until=now").body,
            "{\"results\":[\"host.web1.cpu\",\"host.web2.cpu\"]}\n");
}

}  // namespace
}  // namespace statmill::graphite
