#include "server/otlp/otlp_intake.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"
#include "tests/support/otlp_message.h"

namespace statmill {
namespace {

constexpr uint64_t ns(int64_t seconds) {
  return static_cast<uint64_t>(remote::kNow + seconds) * 1'000'000'000;
}

class OtlpIntakeTest : public testing::Test {
 protected:
  OtlpAccount send_request(const std::string& message) {
    const OtlpIntake intake(server_.values(), server_.lines(), server_.registry());
    const auto account = intake.submit(message, message.size(), server_.now());
    EXPECT_TRUE(account.has_value()) << (account ? "" : account.error().message);
    return account ? *account : OtlpAccount{};
  }
  OtlpAccount send(const std::vector<std::string>& metrics) {
    return send_request(otlp::request({{"service.name", "shop"}, {"service.instance.id", "1"}}, metrics));
  }
  // The sum of a series of that sender.
  double total(const std::string& path) {
    return server_.total(path + ";instance=1;job=shop").value_or(std::numeric_limits<double>::quiet_NaN());
  }
  std::optional<Kind> kind(const std::string& path) { return server_.kind(path + ";instance=1;job=shop"); }

  RemoteServer server_;
};

TEST_F(OtlpIntakeTest, EachTypeHasItsKind) {
  const otlp::Times times = {ns(0), ns(-10)};
  const OtlpAccount account =
      send({otlp::sum("delta", {otlp::integer_point({}, times, 5)}, otlp::kDelta),
            otlp::sum("counter", {otlp::integer_point({}, times, 7)}, otlp::kCumulative),
            otlp::sum("up_down", {otlp::integer_point({}, times, -3)}, otlp::kCumulative, false),
            otlp::gauge("gauge", {otlp::real_point({}, times, 1.5)}),
            otlp::histogram("explicit", {otlp::histogram_point({}, times, {{5, 10}, {1, 2, 3}, 60})},
                            otlp::kDelta),
            otlp::exponential("exponential",
                              {otlp::exponential_point({}, times, {0, 1, {0, {2, 3}}, {1, {4}}, 2.5})},
                              otlp::kCumulative),
            otlp::summary("summary", {otlp::summary_point({}, times, 4, 10, {{0.5, 2}, {0.99, 3}})})});
  EXPECT_EQ(account.points, 7U);
  EXPECT_EQ(account.rejected, 0U) << account.reasons;
  EXPECT_EQ(kind("delta"), Kind::kEvent);
  EXPECT_EQ(kind("counter"), Kind::kCounter);
  EXPECT_EQ(kind("up_down"), Kind::kGauge);
  EXPECT_EQ(kind("gauge"), Kind::kGauge);
  EXPECT_EQ(kind("explicit"), Kind::kDistribution);
  EXPECT_EQ(kind("exponential"), Kind::kDistribution);
  EXPECT_EQ(kind("summary_count"), Kind::kCounter);
  EXPECT_EQ(total("delta"), 5);
  EXPECT_EQ(total("counter"), 7) << "its start is known";
  EXPECT_EQ(total("up_down"), -3);
  EXPECT_EQ(total("gauge"), 1.5);
  EXPECT_EQ(total("explicit"), 60);
  EXPECT_EQ(total("exponential"), 2.5);
  EXPECT_EQ(total("summary_count"), 4);
  EXPECT_EQ(total("summary_sum"), 10);
  EXPECT_EQ(server_.total("summary;instance=1;job=shop;quantile=0.5"), 2);
  EXPECT_EQ(server_.total("summary;instance=1;job=shop;quantile=0.99"), 3);
}

TEST_F(OtlpIntakeTest, UnitsAndDescriptionsAreKeptByKind) {
  const otlp::Times times = {ns(0), ns(-10)};
  const auto counter = otlp::sum("a", {otlp::integer_point({}, times, 7)}, otlp::kCumulative);
  const auto delta = otlp::sum("b", {otlp::integer_point({}, times, 5)}, otlp::kDelta);
  const auto gauge = otlp::gauge("c", {otlp::real_point({}, times, 1.5)});
  const auto histogram =
      otlp::histogram("d", {otlp::histogram_point({}, times, {{5}, {1, 2}, 13})}, otlp::kDelta);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(send({otlp::described(counter, "What was read.", "By"), otlp::described(delta, "", "{request}"),
                    otlp::described(gauge, "Line\nend", "1"), otlp::described(histogram, "Took.", "ms")})
                  .rejected,
              0U);
    ASSERT_TRUE(server_.tick());
    const auto known = server_.known("[a-d];*");
    ASSERT_EQ(known.size(), 4U);
    EXPECT_EQ(known[0].unit + "|" + known[0].help, "bytes|What was read.");
    EXPECT_EQ(known[1].unit + "|" + known[1].help, "request|");
    EXPECT_EQ(known[2].unit + "|" + known[2].help, "|Line end");
    EXPECT_EQ(known[3].unit + "|" + known[3].help, "ms|Took.");
  }
  // A later description replaces it.
  EXPECT_EQ(send({otlp::described(counter, "What was written.", "By")}).rejected, 0U);
  EXPECT_EQ(server_.known("a;*").front().help, "What was written.");
}

TEST_F(OtlpIntakeTest, ARepeatedRequestCountsOnceAlsoAfterACrash) {
  const otlp::Times times = {ns(0), ns(-10)};
  const std::vector<std::string> metrics = {
      otlp::sum("delta", {otlp::integer_point({}, times, 5)}, otlp::kDelta),
      otlp::sum("counter", {otlp::integer_point({}, times, 7)}, otlp::kCumulative),
      otlp::gauge("gauge", {otlp::real_point({}, times, 1.5)}),
      otlp::histogram("delta_h", {otlp::histogram_point({}, times, {{5}, {1, 2}, 13})}, otlp::kDelta),
      otlp::histogram("h", {otlp::histogram_point({}, times, {{5}, {1, 2}, 13})}, otlp::kCumulative),
      otlp::summary("s", {otlp::summary_point({}, times, 4, 10, {{0.5, 2}})})};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(metrics).rejected, 0U);
    if (i == 1) continue;
    ASSERT_TRUE(server_.tick());
    server_.restart();
  }
  EXPECT_EQ(total("delta"), 5);
  EXPECT_EQ(total("counter"), 7);
  EXPECT_EQ(total("gauge"), 1.5);
  EXPECT_EQ(total("delta_h"), 13);
  EXPECT_EQ(total("h"), 13);
  EXPECT_EQ(total("s_sum"), 10);
}

TEST_F(OtlpIntakeTest, ATicketIsThatOfTheTick) {
  const OtlpAccount account = send({otlp::sum("n", {otlp::integer_point({}, {ns(0)}, 5)}, otlp::kDelta)});
  EXPECT_FALSE(server_.is_durable(account.ticket));
  ASSERT_TRUE(server_.tick());
  EXPECT_TRUE(server_.is_durable(account.ticket));
  EXPECT_TRUE(server_.is_durable(send_request({}).ticket)) << "an empty request need not wait";
}

TEST_F(OtlpIntakeTest, TwoExportsInAMillisecondBothCount) {
  const auto point = [](uint64_t time_ns) {
    return otlp::sum("n", {otlp::integer_point({}, {time_ns}, 5)}, otlp::kDelta);
  };
  send({point(ns(0))});
  send({point(ns(0) + 1)});
  send({otlp::sum("c", {otlp::integer_point({}, {ns(0) + 2, ns(0) + 1}, 5)}, otlp::kCumulative)});
  EXPECT_EQ(total("n"), 10);
  EXPECT_EQ(total("c"), 5) << "a start in the same millisecond is known";
}

TEST_F(OtlpIntakeTest, NamesHaveTheAttributesAndTheJob) {
  const std::string point = otlp::integer_point(
      {{"http.method", "GET"}, {"job", "mine"}, {"a b", "c;d"}, {"empty", ""}}, {ns(0)}, 5);
  const OtlpAccount account = send_request(otlp::request({{"service.name", "shop"},
                                                          {"service.namespace", "web"},
                                                          {"service.instance.id", "1"},
                                                          {"host.name", "h1"},
                                                          {"os.type", "linux"}},
                                                         {otlp::gauge("http.server.duration", {point})}));
  EXPECT_EQ(account.rejected, 0U) << account.reasons;
  EXPECT_EQ(server_.total("http.server.duration;a%20b=c%3Bd;exported_job=mine;http.method=GET;instance=1;"
                          "job=web/shop"),
            5);
  EXPECT_EQ(server_.total("target_info;host.name=h1;instance=1;job=web/shop;os.type=linux"), 1);
}

TEST_F(OtlpIntakeTest, ProgramsWithoutAnInstanceAndLibrariesCountForThemselves) {
  const auto request = [](const std::string& host, const std::string& scope, int64_t value, int64_t time) {
    return otlp::request(
        {{"service.name", "shop"}, {"host.name", host}},
        {otlp::sum("n", {otlp::integer_point({}, {ns(time), ns(-10)}, value)}, otlp::kCumulative),
         otlp::sum("d", {otlp::integer_point({}, {ns(time)}, 1)}, otlp::kDelta)},
        scope);
  };
  for (const char* const host : {"h1", "h2"}) {
    for (const char* const scope : {"x", "y"}) {
      send_request(request(host, scope, 100, 0));
      send_request(request(host, scope, 103, 5));
    }
  }
  EXPECT_EQ(server_.total("n;job=shop"), 4 * 103);
  EXPECT_EQ(server_.total("d;job=shop"), 4 * 2);
}

TEST_F(OtlpIntakeTest, WithAnInstanceOtherAttributesMayChange) {
  for (const char* const pod : {"", "pod-7"}) {
    const std::string value = pod;
    const int64_t time = value.empty() ? 0 : 5;
    send_request(otlp::request(
        {{"service.name", "shop"}, {"service.instance.id", "1"}, {"k8s.pod.name", value}},
        {otlp::sum("n", {otlp::integer_point({}, {ns(time), ns(-10)}, 100 + time)}, otlp::kCumulative)}));
  }
  EXPECT_EQ(total("n"), 105);
}

TEST_F(OtlpIntakeTest, APointWithoutAValueIsAcceptedAndCounted) {
  ProtobufWriter point;
  point.fixed(3, ns(0));
  point.integer(8, 1);
  const OtlpAccount account =
      send({otlp::gauge("g", {point.text()}), otlp::histogram("h", {point.text()}, 0)});
  EXPECT_EQ(account.points, 2U);
  EXPECT_EQ(account.rejected, 1U) << "flags have another number in a histogram";
  EXPECT_EQ(account.reasons, "1 bad_type");
  EXPECT_EQ(kind("g"), std::nullopt);
}

TEST_F(OtlpIntakeTest, WhatIsRejectedIsCountedByReason) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ProtobufWriter empty;
  empty.fixed(3, ns(0));
  const auto attributes = [](size_t count) {
    otlp::Attributes out;
    for (size_t i = 0; i < count; ++i) out.emplace_back("k" + std::to_string(i), "v");
    return out;
  };
  const OtlpAccount account = send(
      {otlp::gauge("good", {otlp::real_point({}, {ns(0)}, 1)}),
       otlp::gauge("nan", {otlp::real_point({}, {ns(0)}, nan)}),
       otlp::gauge("old", {otlp::real_point({}, {1'000'000'000}, 1)}),
       otlp::gauge("new", {otlp::real_point({}, {ns(3600)}, 1)}),
       otlp::gauge("timeless", {otlp::real_point({}, {0}, 1)}), otlp::gauge("valueless", {empty.text()}),
       otlp::gauge("", {otlp::real_point({}, {ns(0)}, 1)}),
       otlp::gauge("tags", {otlp::real_point(attributes(65), {ns(0)}, 1)}),
       otlp::gauge("more", {otlp::real_point(attributes(200), {ns(0)}, 1)}),
       otlp::gauge("twice", {otlp::real_point({{"a", "x"}, {"a", "y"}}, {ns(0)}, 1)}),
       otlp::sum("unspecified", {otlp::integer_point({}, {ns(0)}, 1)}, 0),
       otlp::sum("negative", {otlp::integer_point({}, {ns(0)}, -1)}, otlp::kDelta),
       otlp::histogram("h", {otlp::histogram_point({}, {ns(0)}, {{5, 4}, {1, 2, 3}, 1})}, otlp::kDelta)});
  EXPECT_EQ(account.points, 13U);
  EXPECT_EQ(account.rejected, 12U);
  EXPECT_EQ(account.reasons,
            "2 tag_limit, 1 bad_value, 1 not_finite, 1 out_of_range, 1 bad_time, 1 bad_bucket, 1 empty_name, "
            "1 duplicate_tag, 1 bad_type, 1 too_old, 1 too_new");
  EXPECT_EQ(total("good"), 1);
}

TEST_F(OtlpIntakeTest, ManyPointsAreAddedInPieces) {
  std::vector<std::string> points;
  for (int i = 0; i < 7000; ++i)
    points.push_back(
        otlp::integer_point({{"i", std::to_string(i % 500)}}, {ns(0) + static_cast<uint64_t>(i)}, 1));
  std::vector<std::string> histograms;
  for (int i = 0; i < 100; ++i) {
    const std::vector<uint64_t> counts(2000, 1);
    histograms.push_back(
        otlp::exponential_point({}, {ns(0) + static_cast<uint64_t>(i)}, {5, 0, {-1000, counts}, {}, 2000}));
  }
  const OtlpAccount account =
      send({otlp::sum("n", points, otlp::kDelta), otlp::exponential("e", histograms, otlp::kDelta)});
  EXPECT_EQ(account.points, 7100U);
  EXPECT_EQ(account.rejected, 0U) << account.reasons;
  EXPECT_EQ(server_.total("n;i=7;instance=1;job=shop"), 14);
  EXPECT_EQ(total("e"), 100 * 2000);
}

// The end of each type of series. A later point goes on with it, even in the slot of the end.
TEST_F(OtlpIntakeTest, APointWithoutAValueEndsItsSeries) {
  const auto no_value = [](uint64_t time_ns, uint64_t flags_field) {
    ProtobufWriter point;
    point.fixed(3, time_ns);
    point.integer(flags_field, 1);
    return point.text();
  };
  const auto ended = [this](const std::string& path, const std::string& more = {}) {
    return server_.table().ends().of(path + ";instance=1;job=shop" + more);
  };
  ProtobufWriter median;
  median.real(1, 0.5);
  ProtobufWriter quantiles;  // of a summary that ends, as the Collector sends it
  quantiles.bytes(6, median.text());
  const otlp::Times times = {ns(0), ns(-10)};
  const std::vector<std::string> first = {
      otlp::gauge("g", {otlp::real_point({}, times, 1)}),
      otlp::histogram("h", {otlp::histogram_point({}, times, {{5, 10}, {1, 2, 3}, 60})}, otlp::kCumulative),
      otlp::summary("s", {otlp::summary_point({}, times, 4, 10, {{0.5, 2}})})};
  const std::vector<std::string> ends = {otlp::gauge("g", {no_value(ns(15), 8)}),
                                         otlp::histogram("h", {no_value(ns(15), 10)}, otlp::kCumulative),
                                         otlp::summary("s", {no_value(ns(15), 8) + quantiles.text()}),
                                         otlp::gauge("unknown", {no_value(ns(15), 8)}),
                                         otlp::gauge("timeless", {no_value(0, 8)})};
  send(first);
  const OtlpAccount account = send(ends);
  EXPECT_EQ(account.points, 5U);
  EXPECT_EQ(account.rejected, 0U) << account.reasons;
  EXPECT_EQ(ended("g"), remote::ms(15));
  EXPECT_EQ(ended("h"), remote::ms(15));
  EXPECT_EQ(ended("s_count"), remote::ms(15));
  EXPECT_EQ(ended("s_sum"), remote::ms(15));
  EXPECT_EQ(ended("s", ";quantile=0.5"), remote::ms(15));
  EXPECT_EQ(kind("unknown"), std::nullopt);
  send({otlp::gauge("g", {otlp::real_point({}, {ns(16)}, 2)})});
  EXPECT_EQ(ended("g"), std::nullopt);
}

// It has no sample whose kind the table could compare.
TEST_F(OtlpIntakeTest, AHistogramThatAddsNothingLeavesACounterOfItsName) {
  const auto counter = [](int64_t second, int64_t value) {
    return otlp::sum("n", {otlp::integer_point({}, {ns(second), ns(-10)}, value)}, otlp::kCumulative);
  };
  send({counter(0, 100)});
  const OtlpAccount account = send({otlp::histogram(
      "n", {otlp::histogram_point({}, {ns(1)}, {{5, 10}, {1, 2, 3}, 60})}, otlp::kCumulative)});
  EXPECT_EQ(account.reasons, "1 kind_mismatch");
  send({counter(2, 103)});
  EXPECT_EQ(total("n"), 103);
}

// The exemplar of a point, after what else it has. Field 5 is that of numbers, 8 that of histograms.
std::string with_exemplar(std::string point, uint64_t field, uint64_t time_ns, double value,
                          const std::vector<std::pair<std::string, std::string>>& attributes = {}) {
  ProtobufWriter exemplar;
  if (time_ns != 0) exemplar.fixed(2, time_ns);
  exemplar.real(3, value);
  exemplar.bytes(4, "\x01\x02\x03\x04\x05\x06\x07\xff");
  exemplar.bytes(5, "0123456789abcdef");
  for (const auto& [key, of] : attributes) exemplar.bytes(7, otlp::key_value(key, of));
  ProtobufWriter out;
  out.bytes(field, exemplar.text());
  return std::move(point) + out.text();
}

TEST_F(OtlpIntakeTest, ExemplarsHaveTheIdsOfTheirTraces) {
  const otlp::Times times = {ns(0), ns(-10)};
  const std::string point = otlp::histogram_point({}, times, {{5, 10}, {1, 2, 3}, 60});
  send({otlp::histogram("h",
                        {with_exemplar(with_exemplar(point, 8, ns(-1), 7, {{"user", "bob"}}), 8, 0, 6,
                                       {{"url", std::string(200, 'x')}})},
                        otlp::kDelta),
        otlp::sum("c", {with_exemplar(otlp::integer_point({}, times, 7), 5, ns(-2), 1)}, otlp::kCumulative),
        otlp::gauge("refused", {with_exemplar(otlp::real_point({}, {0}, 2), 5, ns(-2), 1)})});
  EXPECT_TRUE(server_.tick());
  const auto exemplars = [&](const std::string& path) {
    std::string out;
    const SeriesId id = server_.id(path + ";instance=1;job=shop");
    EXPECT_TRUE(server_.store.snapshot()->exemplars({id}, [&](const ExemplarRow& row) {
      out += std::to_string(static_cast<int>(row.value)) + " at " +
             std::to_string(row.time_ms - remote::ms(0)) + ":";
      const auto labels = decode_exemplar_labels(row.labels);
      for (const LabelView& label : *labels)
        out.append(" ").append(label.name).append("=").append(label.value);
      out += ";";
      return true;
    }));
    return out;
  };
  const std::string ids = " span_id=01020304050607ff trace_id=30313233343536373839616263646566";
  EXPECT_EQ(exemplars("h"), "7 at -1000:" + ids + " user=bob;6 at 0:" + ids + ";")
      << "long attributes are left out";
  EXPECT_EQ(exemplars("c"), "1 at -2000:" + ids + ";");
}

}  // namespace
}  // namespace statmill
