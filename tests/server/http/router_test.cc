// Requests and responses without sockets: every route and every error.
#include "server/http/router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/http/fake_services.h"

namespace statmill {
namespace {

class RouterTest : public testing::Test {
 protected:
  HttpResponse ask(std::string_view method, std::string_view target, std::string_view body = {}) {
    return Router(api_routes(fake_.services()))
        .answer({.method = method,
                 .target = target,
                 .body = body,
                 .host = "h:1",
                 .origin = {},
                 .content_encoding = {}});
  }
  HttpResponse post_from(std::string_view origin) {
    return Router(api_routes(fake_.services()))
        .answer({.method = "POST",
                 .target = "/api/v1/lines",
                 .body = "a 1\n",
                 .host = "h:1",
                 .origin = origin,
                 .content_encoding = {}});
  }

  FakeServices fake_;
};

TEST_F(RouterTest, AnswersOrReportsWhatIsWrong) {
  struct Case {
    std::string_view method, target, body;
    unsigned status;
    std::string_view want;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"GET", "/healthz", "", 200, "ok\n", "alive"},
      {"HEAD", "/healthz", "", 200, "ok\n", "HEAD is GET; the session omits the body"},
      {"GET", "/readyz", "", 200, "{\"ready\":true}\n", "no problem"},
      {"GET", "/api/v1/status", "", 200, "{\"version\":\"test\"}\n", "the report as it is"},
      {"GET", "/api/v1/status/rejects", "", 200, "{\"rejects\":[]}\n", "the report as it is"},
      {"GET", "/api/v1/status/cardinality", "", 200, "parts 1\n", "the default"},
      {"GET", "/api/v1/status/agents", "", 200, "all hosts\n", "without parameters"},
      {"GET", "/api/v1/status/agents?host=web*&since=-1d", "", 200, "a host since\n", "a filter"},
      {"GET", "/api/v1/status/agents?host=[", "", 400,
       "{\"error\":\"parameter host: glob: [ without ]\",\"status\":400}\n", "no glob"},
      {"GET", "/api/v1/status/agents?since=soon", "", 400,
       "{\"error\":\"parameter since: time \\\"soon\\\": expected unix seconds, now, -6h, 14:30, yesterday "
       "or "
       "2026-11-20 14:30\",\"status\":400}\n",
       "no time"},
      {"GET", "/api/v1/retention?name=a;y=1;b=2", "", 200, "a;b=2;y=1\n", "the canonical spelling"},
      {"GET", "/api/v1/retention", "", 400, "{\"error\":\"parameter name: missing\",\"status\":400}\n",
       "no name"},
      {"GET", "/api/v1/status/cardinality?parts=8", "", 200, "parts 8\n", "the most"},
      {"GET", "/api/v1/status/cardinality?parts=0", "", 400,
       "{\"error\":\"parameter parts: number \\\"0\\\": not in 1..8\",\"status\":400}\n", "too few"},
      {"GET", "/api/v1/series", "", 200,
       "{\"series\":[{\"name\":\"cpu\",\"kind\":\"gauge\",\"unit\":\"percent\",\"help\":\"Load.\","
       "\"retention\":\"10s:1d\",\"first_s\":50,\"last_s\":100},"
       "{\"name\":\"hits\",\"kind\":\"event\",\"unit\":\"\",\"help\":\"\","
       "\"retention\":\"\",\"first_s\":0,\"last_s\":90}],\"truncated\":true}\n",
       "list"},
      {"GET", "/api/v1/query?series=cpu", "", 200,
       "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":[{\"name\":\"cpu\",\"kind\":\"gauge\","
       "\"avg\":[1.5,null,4]}],"
       "\"cost\":{\"series\":0,\"chunks\":0,\"cached\":0,\"slots\":0,\"bytes\":0,\"ms\":0}}\n",
       "query"},
      {"GET", "/api/v1/%71uery?series=cpu&stats=max", "", 200,
       "{\"from\":100,\"until\":130,\"step\":10,\"tier\":10,\"series\":[{\"name\":\"cpu\",\"kind\":\"gauge\","
       "\"max\":[2,null,4]}],"
       "\"cost\":{\"series\":0,\"chunks\":0,\"cached\":0,\"slots\":0,\"bytes\":0,\"ms\":0}}\n",
       "an escaped path is the same path"},
      {"POST", "/api/v1/lines", "a 1\n", 200, "{\"received\":1,\"accepted\":1,\"refused\":{}}\n", "a sample"},
      {"POST", "/api/v1/lines", "", 200, "{\"received\":0,\"accepted\":0,\"refused\":{}}\n", "no samples"},
      {"POST", "/api/v1/lines", "a 1\na x\nb 2", 400,
       "{\"received\":3,\"accepted\":2,\"refused\":{\"bad_value\":1},\"error\":\"1 of 3 samples refused\","
       "\"status\":400}\n",
       "valid lines of a bad body are accepted"},
      {"GET", "/nowhere", "", 404, "{\"error\":\"there is nothing at /nowhere\",\"status\":404}\n",
       "unknown path"},
      {"GET", "/healthz/", "", 404, "{\"error\":\"there is nothing at /healthz/\",\"status\":404}\n",
       "another path"},
      {"GET", "/HEALTHZ", "", 404, "{\"error\":\"there is nothing at /HEALTHZ\",\"status\":404}\n",
       "case matters"},
      {"GET", "/api/v1/lines", "", 405, "{\"error\":\"/api/v1/lines allows only POST\",\"status\":405}\n",
       "GET of a POST endpoint"},
      {"HEAD", "/api/v1/lines", "", 405, "{\"error\":\"/api/v1/lines allows only POST\",\"status\":405}\n",
       "HEAD of a POST endpoint"},
      {"DELETE", "/metrics", "", 405, "{\"error\":\"/metrics allows only GET, HEAD\",\"status\":405}\n",
       "unknown method"},
      {"get", "/metrics", "", 405, "{\"error\":\"/metrics allows only GET, HEAD\",\"status\":405}\n",
       "methods are case-sensitive"},
      {"GET", "/api/v1/query?series=cpu&format=csv", "", 200, "time,cpu:avg\r\n100,1.5\r\n110,\r\n120,4\r\n",
       "csv"},
      {"GET", "/api/v1/query?series=cpu&format=xml", "", 400,
       "{\"error\":\"parameter format: must be json, csv or jsonl, not \\\"xml\\\"\",\"status\":400}\n",
       "no such format"},
      {"GET", "/api/v1/query?series=a&form=1", "", 400,
       "{\"error\":\"unknown parameter \\\"form\\\" (known: series, expr, from, until, step, max_points, "
       "stats, align, format, timeout, missing, about)\",\"status\":400}\n",
       "misspelt"},
      {"GET", "/api/v1/series?limit=1&limit=2", "", 400,
       "{\"error\":\"parameter \\\"limit\\\" is given more than once\",\"status\":400}\n", "repeated"},
      {"GET", "/api/v1/series?limit=0", "", 400,
       "{\"error\":\"parameter limit: number \\\"0\\\": not in 1..100000\",\"status\":400}\n",
       "out of range"},
      {"GET", "/healthz?x", "", 400,
       "{\"error\":\"unknown parameter \\\"x\\\" (there are none)\",\"status\":400}\n",
       "there are no parameters"},
      {"GET", "/healthz", "x", 400, "{\"error\":\"/healthz does not allow a body\",\"status\":400}\n",
       "body on a GET"},
      {"GET", "/a//b", "", 400,
       "{\"error\":\"the path has an empty or dot segment, or an escaped slash, backslash or control "
       "byte\",\"status\":400}\n",
       "ambiguous path"},
  };
  for (const Case& c : cases) {
    const HttpResponse got = ask(c.method, c.target, c.body);
    EXPECT_EQ(got.status, c.status) << c.why;
    EXPECT_EQ(got.body, c.want) << c.why;
  }
}

TEST_F(RouterTest, EngineErrorsBecomeStatuses) {
  struct Case {
    ErrorCode code;
    unsigned status;
  };
  for (const Case c :
       {Case{ErrorCode::kInvalid, 400}, Case{ErrorCode::kNotFound, 404}, Case{ErrorCode::kLimit, 422},
        Case{ErrorCode::kIo, 500}, Case{ErrorCode::kCorrupt, 500}}) {
    fake_.on_query = [c](const QueryRequest&) { return Error{c.code, "because"}; };
    const HttpResponse got = ask("GET", "/api/v1/query?series=a");
    EXPECT_EQ(got.status, c.status);
    EXPECT_EQ(got.body, "{\"error\":\"because\",\"status\":" + std::to_string(c.status) + "}\n");
  }
}

TEST_F(RouterTest, QueryPassesItsParametersToTheEngine) {
  ask("GET", "/api/v1/query?series=a&series=b.*&from=-2h&step=1m&max_points=9");
  const auto queries = fake_.queries();
  ASSERT_EQ(queries.size(), 1u);
  EXPECT_EQ(queries[0].series, (std::vector<std::string>{"a", "b.*"}));
  EXPECT_EQ(queries[0].from_s, kFakeNow_s - 7200);
  EXPECT_EQ(queries[0].until_s, kFakeNow_s + 1);
  EXPECT_EQ(queries[0].step_s, 60);
  EXPECT_EQ(queries[0].max_points, 9);
}

TEST_F(RouterTest, TreeListsChildren) {
  std::vector<Queries::TreeRequest> requests;
  fake_.on_tree = [&](const Queries::TreeRequest& request) {
    requests.push_back(request);
    TreePage page{.series = 12, .children = {}, .has_more = request.limit == 3};
    page.children = {{.part = "cpu", .series = 9, .is_branch = true},
                     {.part = "requests", .series = 2, .has_tags = true},
                     {.part = "uptime", .series = 1, .leaf = {{"", Kind::kGauge, 1'700'000'020}}}};
    return page;
  };
  const std::string children =
      R"({"prefix":"host.web1.","series":12,"names":0,"children":[{"part":"cpu","series":9,"branch":true},)"
      R"({"part":"requests","series":2,"tags":true},)"
      R"({"part":"uptime","series":1,"kind":"gauge","last_s":1700000020}],"next":)";
  EXPECT_EQ(ask("GET", "/api/v1/tree?prefix=host.web1.&limit=3").body, children + "\"uptime\"}\n");
  EXPECT_EQ(ask("GET", "/api/v1/tree?prefix=host.web1.&after=a%2A").body, children + "null}\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].after, std::nullopt);
  EXPECT_EQ(requests[1].after, "a*");
  EXPECT_EQ(requests[1].limit, 200U);
  EXPECT_EQ(ask("GET", "/api/v1/tree?prefix=host").status, 400U);
  EXPECT_EQ(ask("GET", "/api/v1/tree?limit=0").status, 400U);
}

TEST_F(RouterTest, SeriesPassesGlobAndLimit) {
  std::string match;
  size_t limit = 0;
  fake_.on_list = [&](const Glob& glob, size_t n) {
    match = glob.text();
    limit = n;
    return SeriesPage{};
  };
  ask("GET", "/api/v1/series?match=cpu.%2A.idle&limit=5");
  EXPECT_EQ(match, "cpu.*.idle");
  EXPECT_EQ(limit, 5u);
}

TEST_F(RouterTest, AWrongMethodListsTheAllowedOnes) {
  EXPECT_EQ(ask("POST", "/").allow, "GET, HEAD");
  EXPECT_EQ(ask("GET", "/api/v1/lines").allow, "POST");
  EXPECT_EQ(ask("GET", "/").allow, "");
}

TEST_F(RouterTest, HealthzFailsWhenARestartWouldHelp) {
  EXPECT_EQ(ask("GET", "/healthz").status, 200U);
  fake_.has_progress = false;
  EXPECT_EQ(ask("GET", "/healthz").status, 503U);
}

TEST_F(RouterTest, ReadinessListsTheProblems) {
  fake_.health.set("store", "disk full");
  const HttpResponse got = ask("GET", "/readyz");
  EXPECT_EQ(got.status, 503u);
  EXPECT_EQ(got.body, "{\"ready\":false,\"problems\":{\"store\":\"disk full\"}}\n");
}

TEST_F(RouterTest, WarningsAreListedAndTheServerStaysReady) {
  fake_.health.warn("clock of web1", "70 s ahead");
  const HttpResponse got = ask("GET", "/readyz");
  EXPECT_EQ(got.status, 200u);
  EXPECT_EQ(got.body, "{\"ready\":true,\"warnings\":{\"clock of web1\":\"70 s ahead\"}}\n");
  fake_.health.warn("clock of web1", "");
  EXPECT_EQ(ask("GET", "/readyz").body, "{\"ready\":true}\n");
}

TEST_F(RouterTest, MetricsArePrometheusText) {
  fake_.registry.counter("statmill.test", "A test.").add(7);
  const HttpResponse got = ask("GET", "/metrics");
  EXPECT_EQ(got.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(
      got.body.find(
          "# HELP statmill_test_total A test.\n# TYPE statmill_test_total counter\nstatmill_test_total 7\n"),
      std::string::npos)
      << got.body;
}

TEST_F(RouterTest, TheListOfEndpointsHasThemAll) {
  const std::string page = ask("GET", "/").body;
  for (const std::string_view path :
       {"/api/v1/query", "/api/v1/series", "/api/v1/tree", "/api/v1/status", "/api/v1/lines",
        "/api/v1/status/cardinality", "/metrics", "/healthz", "/readyz"}) {
    EXPECT_NE(page.find(" " + std::string(path) + " "), std::string::npos) << path;
  }
}

TEST_F(RouterTest, PagesOfOtherSitesMayNotPost) {
  EXPECT_EQ(post_from("http://evil.example").status, 403u);
  EXPECT_EQ(post_from("http://evil.example/h:1").status, 403u);
  EXPECT_EQ(post_from("http://h:2").status, 403u);
  EXPECT_EQ(post_from("null").status, 403u);
  EXPECT_TRUE(fake_.batches().empty());
  EXPECT_EQ(post_from("http://h:1").status, 200u);
  EXPECT_EQ(post_from("").status, 200u) << "not from a browser";
}

TEST_F(RouterTest, CompressedBodiesAreRefused) {
  const HttpResponse got = Router(api_routes(fake_.services()))
                               .answer({.method = "POST",
                                        .target = "/api/v1/lines",
                                        .body = "\x1f\x8b",
                                        .host = "h",
                                        .origin = {},
                                        .content_encoding = "gzip"});
  EXPECT_EQ(got.status, 415u);
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(RouterTest, FormsOfQueriesHaveTheirOwnType) {
  const auto post = [&](std::string_view type, std::string_view body) {
    return Router(api_routes(fake_.services()))
        .answer({.method = "POST",
                 .target = "/api/v1/query",
                 .body = body,
                 .host = "h",
                 .origin = "http://other",
                 .content_encoding = {},
                 .content_type = type});
  };
  EXPECT_EQ(post("application/x-www-form-urlencoded", "series=cpu").status, 200u);
  EXPECT_EQ(post("Application/X-WWW-Form-urlencoded ; charset=utf-8", "series=cpu").status, 200u);
  EXPECT_EQ(post("application/json", "{}").status, 415u);
  EXPECT_EQ(post("", "series=cpu").status, 415u);
  EXPECT_EQ(post("application/x-www-form-urlencoded", "series=%zz").status, 400u);
  EXPECT_EQ(post("application/x-www-form-urlencoded", "=cpu").status, 400u);
}

TEST_F(RouterTest, HeadersAreCheckedWithoutTheBody) {
  const Router router(api_routes(fake_.services()));
  const auto refusal = [&](std::string_view method, std::string_view target, std::string_view type,
                           bool has_body = true) {
    const HttpRequest request{.method = method,
                              .target = target,
                              .body = {},
                              .host = "h",
                              .origin = {},
                              .content_encoding = {},
                              .content_type = type};
    const auto response = router.refusal_before_body(request, has_body);
    return response ? response->status : 0U;
  };
  EXPECT_EQ(refusal("POST", "/api/v1/lines", ""), 0U);
  EXPECT_EQ(refusal("POST", "/api/v1/query?step=1m", "application/x-www-form-urlencoded"), 0U);
  EXPECT_EQ(refusal("POST", "/api/v1/query?step=1m&step=1m", "application/x-www-form-urlencoded"), 400U);
  EXPECT_EQ(refusal("POST", "/api/v1/query", ""), 415U);
  EXPECT_EQ(refusal("POST", "/api/v1/lines?a", ""), 400U);
  EXPECT_EQ(refusal("GET", "/healthz", ""), 400U) << "no body is allowed";
  EXPECT_EQ(refusal("GET", "/healthz", "", false), 0U) << "chunks may be empty";
  EXPECT_EQ(refusal("PUT", "/api/v1/lines", ""), 405U);
  EXPECT_EQ(refusal("POST", "/nowhere", ""), 404U);
}

TEST_F(RouterTest, APathMayHaveRoutesOfSeveralMethodsAndOpenSegments) {
  const auto says = [](std::string_view text) {
    return [text](const Url& url, std::string_view) {
      return HttpResponse{200, std::string(text) + " " + url.path, kPlainText, {}};
    };
  };
  const Router router({{"GET", "/label/*/values", {}, 0, says("get"), "values"},
                       {"POST", "/label/*/values", {}, 0, says("post"), "values"}});
  const auto ask_it = [&](std::string_view method, std::string_view target) {
    return router.answer(
        {.method = method, .target = target, .body = {}, .host = "h", .origin = {}, .content_encoding = {}});
  };
  EXPECT_EQ(ask_it("GET", "/label/a.b/values").body, "get /label/a.b/values");
  EXPECT_EQ(ask_it("POST", "/label/%C3%A9/values").body, "post /label/\xC3\xA9/values");
  EXPECT_EQ(ask_it("PUT", "/label/a/values").allow, "GET, HEAD, POST");
  for (const std::string_view other :
       {"/label/values", "/label/a/b/values", "/label/a/value", "/label/a/values/"})
    EXPECT_EQ(ask_it("GET", other).status, 404u) << other;
}

TEST_F(RouterTest, TheFirstRouteThatMatchesAnswersAndTwoStarsMatchTheRest) {
  const auto says = [](std::string_view text) {
    return [text](const Url&, std::string_view) {
      return HttpResponse{200, std::string(text), kPlainText, {}};
    };
  };
  const Router router({{"GET", "/a/b", {}, 0, says("b"), ""}, {"GET", "/a/**", {}, 0, says("rest"), ""}},
                      "/list");
  const auto ask_it = [&](std::string_view target) {
    return router.answer(
        {.method = "GET", .target = target, .body = {}, .host = "h", .origin = {}, .content_encoding = {}});
  };
  EXPECT_EQ(ask_it("/a/b").body, "b");
  EXPECT_EQ(ask_it("/a/c").body, "rest");
  EXPECT_EQ(ask_it("/a/b/c").body, "rest");
  EXPECT_EQ(ask_it("/a/").status, 404U);
  EXPECT_EQ(ask_it("/a").status, 404U);
  EXPECT_EQ(ask_it("/").status, 404U);
  EXPECT_EQ(ask_it("/list").body, "statmill\n\nGET    /list                                 this page\n")
      << "routes without a description are not listed";
}

TEST_F(RouterTest, OnlyLinesMayHaveALongBody) {
  const Router router(api_routes(fake_.services()));
  EXPECT_EQ(router.body_bytes_max("POST", "/api/v1/lines"), size_t{8} << 20);
  EXPECT_EQ(router.body_bytes_max("POST", "/api/v1/lines?x=1"), size_t{8} << 20);
  EXPECT_EQ(router.body_bytes_max("PUT", "/api/v1/lines"), kStrayBodyBytesMax);
  EXPECT_EQ(router.body_bytes_max("POST", "/api/v1/query"), size_t{256} << 10);
  EXPECT_EQ(router.body_bytes_max("GET", "/"), kStrayBodyBytesMax);
  EXPECT_EQ(router.body_bytes_max("POST", "/nowhere"), kStrayBodyBytesMax);
}

}  // namespace
}  // namespace statmill
