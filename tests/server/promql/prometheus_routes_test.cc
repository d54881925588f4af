// The two routes, through the router.
#include "server/promql/prometheus_routes.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "server/http/router.h"

namespace statmill {
namespace {

HttpResponse ask(std::string_view target, std::string_view method = "GET") {
  return Router(prometheus_routes())
      .answer({.method = method,
               .target = target,
               .body = {},
               .host = "h:1",
               .origin = {},
               .content_encoding = {}});
}

TEST(PrometheusRoutes, FormatQueryReturnsTheCanonicalText) {
  const HttpResponse got =
      ask("/prometheus/api/v1/format_query?query=sum(rate(hits%7Ba%3D'b'%7D[5m]))by(dc)%3E1");
  EXPECT_EQ(got.status, 200U);
  EXPECT_EQ(got.content_type, kJson);
  EXPECT_EQ(got.body,
            "{\"status\":\"success\",\"data\":\"sum by (dc) (rate(hits{a=\\\"b\\\"}[5m])) > 1\"}\n");
}

TEST(PrometheusRoutes, FormatQuerySplitsLongQueries) {
  const std::string name(60, 'a');
  const HttpResponse got = ask("/prometheus/api/v1/format_query?query=" + name + "%2B" + name);
  EXPECT_EQ(got.body, "{\"status\":\"success\",\"data\":\"  " + name + "\\u000a+\\u000a  " + name + "\"}\n");
}

TEST(PrometheusRoutes, ErrorsHaveTheirPlace) {
  for (const std::string_view route : {"format_query", "parse_query"}) {
    const HttpResponse got = ask("/prometheus/api/v1/" + std::string(route) + "?query=sum%0A(1,)");
    EXPECT_EQ(got.status, 400U);
    EXPECT_EQ(got.body,
              "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter \\\"query\\\": "
              "2:3: parse error: trailing commas not allowed in function call args\"}\n");
  }
}

TEST(PrometheusRoutes, AMissingQueryIsAnEmptyOne) {
  const HttpResponse got = ask("/prometheus/api/v1/format_query");
  EXPECT_EQ(got.status, 400U);
  EXPECT_NE(got.body.find("1:1: parse error: no expression found in input"), std::string::npos) << got.body;
}

TEST(PrometheusRoutes, GetHeadAndPostAreAllowed) {
  EXPECT_EQ(ask("/prometheus/api/v1/format_query?query=a", "PUT").status, 405U);
  EXPECT_EQ(ask("/prometheus/api/v1/format_query?query=a", "POST").status, 200U);
  EXPECT_EQ(ask("/prometheus/api/v1/format_query?query=a", "HEAD").status, 200U);
}

TEST(PrometheusRoutes, UnknownAndRepeatedParametersAreIgnored) {
  const HttpResponse got = ask("/prometheus/api/v1/format_query?x=1&query=a&query=b&_=170");
  EXPECT_EQ(got.body, "{\"status\":\"success\",\"data\":\"a\"}\n");
}

std::string tree_of(std::string_view query) {
  const HttpResponse got = ask("/prometheus/api/v1/parse_query?query=" + std::string(query));
  EXPECT_EQ(got.status, 200U) << got.body;
  constexpr std::string_view kHead = "{\"status\":\"success\",\"data\":";
  EXPECT_TRUE(got.body.starts_with(kHead)) << got.body;
  EXPECT_TRUE(boost::json::parse(got.body).is_object());
  return got.body.substr(kHead.size(), got.body.size() - kHead.size() - 2);
}

TEST(PrometheusRoutes, ParseQueryReturnsEveryKindOfNode) {
  const std::string a =
      "{\"type\":\"vectorSelector\",\"name\":\"a\",\"matchers\":[{\"name\":\"__name__\",\"value\":\"a\","
      "\"type\":\"=\"}],\"offset\":0,\"timestamp\":null,\"startOrEnd\":null,\"anchored\":false,"
      "\"smoothed\":false}";
  const std::string one = "{\"type\":\"numberLiteral\",\"val\":\"1\"}";
  EXPECT_EQ(tree_of("a"), a);
  EXPECT_EQ(tree_of("1e6"), "{\"type\":\"numberLiteral\",\"val\":\"1000000\"}");
  EXPECT_EQ(tree_of("'b'"), "{\"type\":\"stringLiteral\",\"val\":\"b\"}");
  EXPECT_EQ(tree_of("-a"), "{\"type\":\"unaryExpr\",\"op\":\"-\",\"expr\":" + a + "}");
  EXPECT_EQ(tree_of("(a)"), "{\"type\":\"parenExpr\",\"expr\":" + a + "}");
  EXPECT_EQ(tree_of("abs(a)"),
            "{\"type\":\"call\",\"func\":{\"name\":\"abs\",\"argTypes\":[\"vector\"],\"variadic\":0,"
            "\"returnType\":\"vector\"},\"args\":[" +
                a + "]}");
  EXPECT_EQ(tree_of("a[5m:1m]@end()"),
            "{\"type\":\"subquery\",\"expr\":" + a +
                ",\"range\":300000,\"step\":60000,\"offset\":0,\"timestamp\":null,\"startOrEnd\":\"end\"}");
  EXPECT_EQ(tree_of("topk(1,a)without(b)"), "{\"type\":\"aggregation\",\"op\":\"topk\",\"expr\":" + a +
                                                ",\"param\":" + one +
                                                ",\"grouping\":[\"b\"],\"without\":true}");
  EXPECT_EQ(tree_of("a%2B1"), "{\"type\":\"binaryExpr\",\"op\":\"+\",\"lhs\":" + a + ",\"rhs\":" + one +
                                  ",\"matching\":null,\"bool\":false}");
  EXPECT_EQ(tree_of("a*on(b)group_left(c)a"),
            "{\"type\":\"binaryExpr\",\"op\":\"*\",\"lhs\":" + a + ",\"rhs\":" + a +
                ",\"matching\":{\"card\":\"many-to-one\",\"labels\":[\"b\"],\"on\":true,\"include\":[\"c\"]},"
                "\"bool\":false}");
  EXPECT_EQ(tree_of("%7Bb%3D~'c'%7D[5m]@1.5+offset+-1m"),
            "{\"type\":\"matrixSelector\",\"name\":\"\",\"matchers\":[{\"name\":\"b\",\"value\":\"c\","
            "\"type\":\"=~\"}],\"offset\":-60000,\"timestamp\":1500,\"startOrEnd\":null,\"anchored\":false,"
            "\"smoothed\":false,\"range\":300000}");
}

}  // namespace
}  // namespace statmill
