// Requests of clients of OpenTelemetry without sockets: what each gets as its answer.
#include "server/otlp/otlp_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/http/content_coding.h"
#include "tests/server/prometheus/remote_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/otlp_message.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr uint64_t kNowNs = static_cast<uint64_t>(remote::kNow) * 1'000'000'000;

// The field 1 of google.rpc.Status.
std::string status_code(uint64_t code) {
  ProtobufWriter out;
  out.integer(1, code);
  return out.text();
}

class OtlpRoutes : public testing::Test {
 protected:
  HttpResponse post(std::string_view body, std::string_view type, std::string_view coding = {},
                    std::string_view path = "/v1/metrics") {
    const OtlpIntake intake(server_.values(), server_.lines(), server_.registry());
    HttpRequest request{.method = "POST",
                        .target = path,
                        .body = body,
                        .host = "h:1",
                        .origin = {},
                        .content_encoding = coding};
    request.content_type = type;
    return Router(otlp_routes(intake, clock_)).answer(request);
  }
  static std::string gauge(uint64_t time_ns) {
    return otlp::request({}, {otlp::gauge("g", {otlp::real_point({}, {time_ns}, 1.5)})});
  }
  static std::string gauge_json(const std::string& time) {
    return R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[)"
           R"({"asDouble":1.5,"timeUnixNano":")" +
           time + R"("}]}}]}]}]})";
  }
  static std::string gzipped(std::string_view text) {
    return make_encoder(ContentCoding::kGzip)->encode(text, true);
  }

  RemoteServer server_;
  ManualClock clock_{remote::kNow};
};

TEST_F(OtlpRoutes, SuccessIsAnEmptyResponseInTheEncodingOfTheRequest) {
  HttpResponse response = post(gauge(kNowNs), kProtobuf);
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(response.content_type, kProtobuf);
  EXPECT_TRUE(response.hold) << "it waits for the tick";
  response = post(gauge_json(std::to_string(kNowNs + 1)), "application/json; charset=utf-8");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body, "{}");
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(post("", kProtobuf).status, 200U) << "an empty message";
  EXPECT_EQ(server_.total("g"), 3);
}

TEST_F(OtlpRoutes, BodiesMayBeCompressed) {
  EXPECT_EQ(post(gzipped(gauge(kNowNs)), kProtobuf, "gzip").status, 200U);
  EXPECT_EQ(post(gzipped(gauge_json(std::to_string(kNowNs + 1))), "application/json", "gzip").status, 200U);
  EXPECT_EQ(server_.total("g"), 3);
  EXPECT_EQ(post("rubbish", kProtobuf, "gzip").status, 400U);
  EXPECT_EQ(post(gauge(kNowNs), kProtobuf, "zstd").status, 415U);
}

TEST_F(OtlpRoutes, APartialSuccessSaysWhatIsRejected) {
  HttpResponse response = post(gauge(1), kProtobuf);
  EXPECT_EQ(response.status, 200U);
  ProtobufWriter rejected;
  rejected.integer(1, 1);
  EXPECT_THAT(response.body, HasSubstr(rejected.text()));
  EXPECT_THAT(response.body, HasSubstr("1 of 1 data points are rejected, the others are stored: 1 too_old"));
  response = post(gauge_json("1"), "application/json");
  EXPECT_EQ(response.status, 200U);
  EXPECT_THAT(response.body,
              HasSubstr(R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"1 of 1)"));
}

TEST_F(OtlpRoutes, ErrorsAreAStatusInTheEncodingOfTheRequest) {
  HttpResponse response = post("rubbish", kProtobuf);
  EXPECT_EQ(response.status, 400U);
  EXPECT_EQ(response.content_type, kProtobuf);
  EXPECT_TRUE(response.body.starts_with(status_code(3)));
  EXPECT_THAT(response.body, HasSubstr("protobuf: a damaged request"));
  response = post("{", "application/json");
  EXPECT_EQ(response.status, 400U);
  EXPECT_THAT(response.body, HasSubstr(R"({"code":3,"message":"JSON: )"));
  EXPECT_FALSE(response.may_retry);
  EXPECT_EQ(post(gauge(kNowNs), "text/plain").status, 415U);
  EXPECT_EQ(post(gauge(kNowNs), "").status, 415U);
}

TEST_F(OtlpRoutes, ABombIsRefused) {
  std::string zeros(kOtlpMessageBytesMax + 1, '\0');
  EXPECT_EQ(post(gzipped(zeros), kProtobuf, "gzip").status, 413U);
  zeros.resize(kOtlpJsonBytesMax + 1);
  const HttpResponse response = post(gzipped(zeros), "application/json", "gzip");
  EXPECT_EQ(response.status, 413U);
  EXPECT_THAT(response.body, HasSubstr(R"({"code":8,)"));
}

TEST_F(OtlpRoutes, WithoutRoomTheClientIsAskedToSendAgain) {
  server_.limits.pending_bytes = 0;
  server_.restart();
  const HttpResponse response = post(gauge(kNowNs), kProtobuf);
  EXPECT_EQ(response.status, 503U);
  EXPECT_TRUE(response.may_retry);
  EXPECT_TRUE(response.body.starts_with(status_code(14)));
}

TEST_F(OtlpRoutes, TracesAndLogsAreNotStored) {
  for (const std::string_view path : {"/v1/traces", "/v1/logs"}) {
    HttpResponse response = post("any", kProtobuf, {}, path);
    EXPECT_EQ(response.status, 404U);
    EXPECT_EQ(response.content_type, kProtobuf);
    EXPECT_THAT(response.body, HasSubstr("statmill stores metrics only"));
    response = post("{}", "application/json", "zstd", path);
    EXPECT_EQ(response.status, 404U) << "whatever is wrong with it";
    EXPECT_THAT(response.body, HasSubstr(R"({"code":12,"message":"statmill stores metrics only)"));
  }
}

}  // namespace
}  // namespace statmill
