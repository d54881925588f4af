// istatd's interface and Graphite's routes that find names, at a real server: what its clients send over the
// wire is read over HTTP, also after kill -9.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class IstatdHttpE2e : public testing::Test {
 protected:
  void SetUp() override {
    server_.start();
    server_.send("Host.Web1.load^dc.a 2\n*requests 30\nhost.web2.load 3\n");
    server_.wait_until_durable();
  }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }
  // As a page does.
  HttpReply post(const std::string& target, const std::string& body) const {
    return http_raw(server_.http(),
                    "POST " + target +
                        " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain;charset=UTF-8\r\n"
                        "Connection: close\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(IstatdHttpE2e, CountersAreReadAsTheyWereSent) {
  EXPECT_THAT(server_.get("/host.web1.load.dc.a"),
              AllOf(StartsWith("{\"start\":"), HasSubstr("\"avg\":2,\"count\":1")));
  EXPECT_THAT(server_.get("/istatd/*requests"), HasSubstr("\"avg\":3,\"count\":1"));
  EXPECT_THAT(server_.get("/requests?format=csv"), StartsWith("ISO Time,Unix Timestamp,"));
  const HttpReply several =
      post("/*", R"({"keys":["HOST.web2.load","nothing"],"maxSamples":600,"compact":true})");
  EXPECT_EQ(several.status, 200) << several.body;
  EXPECT_THAT(several.body, AllOf(StartsWith("{\"HOST.web2.load\":{\"start\":"), HasSubstr(",1,3,3,3,9,3,0]"),
                                  HasSubstr("\"nothing\":\"Not found.\"")));
  EXPECT_EQ(http_get(server_.http(), "/nothing").status, 404);
  EXPECT_EQ(http_get(server_.http(), "/metrics").status, 200) << "known routes win";
  EXPECT_EQ(http_get(server_.http(), "/istatd/metrics").status, 404);
}

TEST_F(IstatdHttpE2e, NamesAreListed) {
  EXPECT_THAT(server_.get("/?q=host*load"),
              HasSubstr(R"({"is_leaf":true,"type":0,"name":"host.web2.load"})"));
  EXPECT_THAT(server_.get("/?q=*"), AllOf(HasSubstr(R"({"is_leaf":false,"type":2,"name":"host"})"),
                                          HasSubstr(R"({"is_leaf":true,"type":1,"name":"requests"})")));
  EXPECT_THAT(server_.get("/?a=*"), StartsWith("{\"count\":"));
}

TEST_F(IstatdHttpE2e, SettingsSurviveAKill) {
  const std::string dashboard = R"({"dashboard.a":"{\"graphs\":[]}","number":5})";
  EXPECT_EQ(post("/?s=global", dashboard).body, "{\"success\":true}\n");
  server_.kill();
  server_.start();
  EXPECT_EQ(server_.get("/?s=global"), R"({"dashboard.a":"{\"graphs\":[]}","number":"5"})"
                                       "\n");
  EXPECT_EQ(server_.metric("statmill_setting_files"), 1);
}

TEST_F(IstatdHttpE2e, GraphitesClientsFindPathsAndTags) {
  const HttpReply form = http_raw(
      server_.http(),
      "POST /graphite/metrics/find?from=undefined&until=undefined HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\nContent-Length: 12\r\n\r\n"
      "query=host.*");
  EXPECT_EQ(form.status, 200) << form.body;
  EXPECT_THAT(form.body,
              HasSubstr(R"({"text":"web2","id":"host.web2","allowChildren":1,"expandable":1,"leaf":0})"));
  EXPECT_EQ(server_.get("/metrics/expand?query=host.web2.*"), "{\"results\":[\"host.web2.load\"]}\n");
  EXPECT_THAT(server_.get("/tags/autoComplete/values?tag=name&valuePrefix=host.web2"),
              HasSubstr("[\"host.web2.load\"]"));
  EXPECT_EQ(server_.get("/graphite/version"), "1.1.10");
}

}  // namespace
}  // namespace statmill
