// Requests of InfluxDB's clients without sockets: what each gets as its answer.
#include "server/http/influx_routes.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "server/http/content_coding.h"
#include "server/http/influx_answers.h"
#include "tests/ingest/ingest_fixture.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

constexpr int64_t kNow_s = 1'700'006'400;

class InfluxRoutes : public testing::Test {
 protected:
  HttpResponse ask(std::string_view method, std::string_view target, std::string_view body = {},
                   std::string_view coding = {}, std::string_view type = {}) {
    HttpRequest request{.method = method,
                        .target = target,
                        .body = body,
                        .host = "h:1",
                        .origin = {},
                        .content_encoding = coding};
    request.content_type = type;
    return Router(influx_routes({points_, health_, clock_, tag_key_})).answer(request);
  }
  double sum(const std::string& name) const { return fixture_.bucket(name).sum(); }

  IngestFixture fixture_;
  const InfluxIntake points_{fixture_.intake, "influx"};
  Health health_;
  ManualClock clock_{kNow_s};
  std::string tag_key_;
};

TEST_F(InfluxRoutes, StoresPointsAndAnswersNothing) {
  for (const std::string target :
       {"/write?db=telegraf", "/write", "/write?db=a&rp=&consistency=one&u=x&p=y&z=1",
        "/api/v2/write?bucket=b&org=o&precision=ns", "/api/v2/write"}) {
    const HttpResponse response = ask("POST", target, "cpu,host=a usage=1.5,idle=t 1700006400000000000\n");
    EXPECT_EQ(response.status, 204u) << target << response.body;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(response.fields, influx_fields());
  }
  EXPECT_EQ(sum("cpu.usage;host=a"), 5 * 1.5);
  EXPECT_EQ(sum("cpu.idle;host=a"), 5);
  EXPECT_EQ(fixture_.accepted("influx"), 10u);
}

TEST_F(InfluxRoutes, AnEmptyBodyIsNoError) {
  EXPECT_EQ(ask("POST", "/write?db=x").status, 204u);
  EXPECT_EQ(ask("POST", "/api/v2/write?bucket=x", "\n# comment\n").status, 204u);
}

TEST_F(InfluxRoutes, ReadsTheTimeInTheUnitOfTheRequest) {
  const std::vector<std::pair<std::string, std::string>> units = {{"n", "1700006400000000000"},
                                                                  {"ns", "1700006400000000000"},
                                                                  {"u", "1700006400000000"},
                                                                  {"us", "1700006400000000"},
                                                                  {"%C2%B5", "1700006400000000"},
                                                                  {"ms", "1700006400000"},
                                                                  {"s", "1700006400"},
                                                                  {"m", "28333440"},
                                                                  {"h", "472224"}};
  for (const auto& [unit, time] : units) {
    for (const std::string path : {"/write", "/api/v2/write"})
      EXPECT_EQ(ask("POST", path + "?precision=" + unit, "a f=1 " + time).status, 204u) << unit;
  }
  EXPECT_EQ(fixture_.bucket("a.f").count(), 2 * units.size());
  EXPECT_EQ(fixture_.content().at("a.f").size(), 1u) << "all in one slot";
  const HttpResponse refused = ask("POST", "/write?precision=d", "a f=1");
  EXPECT_EQ(refused.status, 400u);
  EXPECT_EQ(refused.body, "{\"error\":\"invalid precision \\\"d\\\" (use ns, us, ms, s, m or h)\"}\n");
}

TEST_F(InfluxRoutes, KeepsTheGoodPointsOfABatch) {
  const HttpResponse response = ask("POST", "/write", "a f=1\nb f\nc f=x\nd f=2,g=3\n");
  EXPECT_EQ(response.status, 400u);
  EXPECT_EQ(response.body,
            "{\"error\":\"partial write: unable to parse 'b f': field_count; 2 of 5 samples refused "
            "(field_count 1, "
            "bad_value 1) dropped=2\"}\n");
  EXPECT_EQ(sum("a.f") + sum("d.f") + sum("d.g"), 6);
  EXPECT_EQ(ask("POST", "/write", "b f \"\x01\xff").body,
            "{\"error\":\"unable to parse 'b f \\\"\\u0001\xef\xbf\xbd': field_count; 1 of 1 samples refused "
            "(field_count 1) dropped=1\"}\n");
  EXPECT_EQ(ask("POST", "/api/v2/write", "a f=1 5\n").body,
            "{\"code\":\"invalid\",\"message\":\"unable to write 'a.f': too_old; 1 of 1 samples refused "
            "(too_old 1) "
            "dropped=1\"}\n");
}

TEST_F(InfluxRoutes, ASettingTagsThePointsWithTheirDatabase) {
  tag_key_ = "db";
  ask("POST", "/write?db=tele%20graf", "a f=1\na,db=x f=2\n");
  ask("POST", "/api/v2/write?bucket=b%2fc", "a f=4\n");
  ask("POST", "/write", "a f=8\n");
  EXPECT_EQ(sum("a.f;db=tele%20graf"), 1);
  EXPECT_EQ(sum("a.f;db=x"), 2);
  EXPECT_EQ(sum("a.f;db=b/c"), 4);
  EXPECT_EQ(sum("a.f"), 8);
  const HttpResponse hidden = ask("POST", "/write?db=%E2%80%8D", "a f=1\n");
  EXPECT_EQ(hidden.status, 400u) << "a zero-width joiner is in no name";
}

TEST_F(InfluxRoutes, DecodesBodies) {
  const std::string whole = make_encoder(ContentCoding::kGzip)->encode("a f=1\n", true);
  EXPECT_EQ(ask("POST", "/write", whole, "gzip").status, 204u);
  EXPECT_EQ(ask("POST", "/api/v2/write", "a f=1\n", "identity").status, 204u)
      << "as influxdb-client sends it";
  EXPECT_EQ(sum("a.f"), 2);
  EXPECT_EQ(ask("POST", "/write", whole.substr(1), "gzip").status, 400u);
  EXPECT_EQ(ask("POST", "/write", "a f=1\n", "br").status, 415u);
  for (const std::string path : {"/ping", "/health", "/query?q=SHOW+DATABASES"})
    EXPECT_LT(ask("GET", path, {}, "gzip").status, 300u) << "as influxdb-python asks without a body";
  const std::string form = make_encoder(ContentCoding::kGzip)->encode("q=CREATE+DATABASE+x", true);
  EXPECT_EQ(ask("POST", "/query", form, "gzip", "application/x-www-form-urlencoded").status, 200u);
  const std::string bomb =
      make_encoder(ContentCoding::kGzip)->encode(std::string(kInfluxBodyBytesMax + 1, '\n'), true);
  const HttpResponse over = ask("POST", "/api/v2/write", bomb, "gzip");
  EXPECT_EQ(over.status, 413u);
  EXPECT_EQ(over.body.find("{\"code\":\"request too large\",\"message\":\"the body has over "), 0u)
      << over.body;
}

TEST_F(InfluxRoutes, AnswersWhatClientsProbe) {
  EXPECT_EQ(ask("GET", "/ping").status, 204u);
  EXPECT_EQ(ask("HEAD", "/ping").status, 204u);
  EXPECT_EQ(ask("GET", "/ping").fields, influx_fields());
  EXPECT_EQ(ask("GET", "/ping?verbose=true").body, "{\"version\":\"1.8.10-statmill\"}\n");
  EXPECT_EQ(ask("GET", "/health").body,
            "{\"name\":\"statmill\",\"message\":\"ready for writes\",\"status\":\"pass\",\"checks\":[],"
            "\"version\":\"1.8.10-statmill\"}\n");
  health_.set("store", "the disk at /secret is full");
  const HttpResponse ill = ask("GET", "/health");
  EXPECT_EQ(ill.status, 503u);
  EXPECT_EQ(ill.body.find("secret"), std::string::npos);
}

TEST_F(InfluxRoutes, AnswersTheStatementsThatClientsSendBeforeTheyWrite) {
  const std::string databases =
      "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"databases\",\"columns\":[\"name\"],"
      "\"values\":[[\"statmill\"]]}]}]}\n";
  const std::string created = "{\"results\":[{\"statement_id\":0}]}\n";
  const std::string form = "application/x-www-form-urlencoded";
  EXPECT_EQ(ask("GET", "/query?q=SHOW+DATABASES&db=x&epoch=ns").body, databases);
  EXPECT_EQ(ask("GET", "/query?q=show%20databases%3B").body, databases);
  EXPECT_EQ(ask("POST", "/query?q=CREATE%20DATABASE%20telegraf").body, created)
      << "as influxdb-python sends it";
  EXPECT_EQ(ask("POST", "/query", "q=CREATE+DATABASE+%22telegraf%22", {}, form).body, created)
      << "as Telegraf";
  EXPECT_EQ(ask("POST", "/query", "q=create+database+x+WITH+DURATION+1d", {}, form).status, 200u);
  for (const std::string q :
       {"", "SHOW", "SHOW+DATABASES+x", "CREATE+DATABASE", "SELECT+1", "DROP+DATABASE+x"}) {
    EXPECT_EQ(ask("GET", "/query?q=" + q).status, 400u) << q;
    EXPECT_EQ(ask("POST", "/query", "q=" + q, {}, form).status, 400u) << q;
  }
  EXPECT_EQ(ask("POST", "/query", "q=%zz", {}, form).status, 400u);
  EXPECT_EQ(ask("GET", "/write").status, 405u);
  EXPECT_EQ(ask("POST", "/api/v2/delete").status, 404u);
}

class FullSink final : public SampleSink {
 public:
  uint64_t apply(Batch& batch, Timestamp) override {
    batch.refuse_all_samples(Refusal::kMemoryLimit);
    return 0;
  }
};

TEST_F(InfluxRoutes, WhatOnlyTheLackOfMemoryRefusesMayBeSentAgain) {
  FullSink sink;
  Registry registry;
  Intake intake(sink, registry);
  const InfluxIntake points(intake, "influx");
  const Router router(influx_routes({points, health_, clock_, {}}));
  const auto post = [&router](std::string_view body) {
    return router.answer({.method = "POST",
                          .target = "/write",
                          .body = body,
                          .host = "h:1",
                          .origin = {},
                          .content_encoding = {}});
  };
  EXPECT_EQ(post("a f=1\n").status, 503u);
  EXPECT_TRUE(post("a f=1\n").may_retry);
  EXPECT_EQ(post("a f=1\na f=x\n").status, 400u) << "the second point would be refused again";
}

}  // namespace
}  // namespace statmill
