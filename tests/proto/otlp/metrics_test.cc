#include "proto/otlp/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/proto/otlp/metrics_text.h"
#include "tests/support/otlp_message.h"

namespace statmill {
namespace {

// What a message has; its errors are part of the text.
std::string read(const std::string& message) {
  MetricsText text;
  const Status decoded = decode_otlp_metrics(message, text);
  return decoded ? text.text() : text.text() + decoded.error().message;
}

// The text of one metric with one point.
std::string read_metric(const std::string& metric) {
  const std::string text = read(otlp::request({}, {metric}));
  const size_t begin = text.find("scope 6\n") + 8;
  return text.substr(begin, text.rfind("end\n") - begin);
}

const otlp::Times kTimes = {20, 10};

TEST(OtlpMetrics, NumbersOfEachTypeArePassedOn) {
  EXPECT_EQ(
      read(otlp::request(
          {{"service.name", "shop"}},
          {otlp::sum("a.b", {otlp::integer_point({{"k", "v"}}, kTimes, -5), otlp::real_point({}, {20}, 1.5)},
                     otlp::kDelta),
           otlp::gauge("g", {otlp::real_point({}, {20}, 2)})})),
      "resource service.name=shop\n"
      "scope 6\n"
      "a.b|| type 1 temporality 1 monotonic\n"
      "- k=v 10..20 integer -5\n"
      "- 0..20 real 1.500000\n"
      "g|| type 0 temporality 0\n"
      "- 0..20 real 2.000000\n"
      "end\n");
  EXPECT_EQ(read(""), "") << "an empty request is a request";
}

TEST(OtlpMetrics, FieldsComeInAnyOrder) {
  ProtobufWriter data;
  data.integer(2, otlp::kCumulative);
  data.bytes(1, otlp::integer_point({}, kTimes, 1));
  data.integer(3, 1);
  ProtobufWriter metric;
  metric.bytes(7, data.text());
  metric.bytes(3, "By");
  metric.bytes(2, "Bytes.");
  metric.bytes(1, "n");
  EXPECT_EQ(read_metric(metric.text()), "n|By|Bytes. type 1 temporality 2 monotonic\n- 10..20 integer 1\n");
}

TEST(OtlpMetrics, HistogramsArePassedOn) {
  EXPECT_EQ(
      read_metric(otlp::histogram(
          "h", {otlp::histogram_point({{"k", "v"}}, kTimes, {{5, 10.5}, {1, 0, 2}, 33})}, otlp::kDelta)),
      "h|| type 2 temporality 1\n"
      "- k=v 10..20 count 3 sum 33.000000 <5.000000 <10.500000 [0]:1 [2]:2\n");
  EXPECT_EQ(read_metric(otlp::exponential(
                "e", {otlp::exponential_point({}, kTimes, {-1, 4, {-2, {1, 0, 2}}, {7, {0, 3}}, 1.5})},
                otlp::kCumulative)),
            "e|| type 3 temporality 2\n"
            "- 10..20 count 10 sum 1.500000 scale -1 zero 0.000000 -[-8]:3 [0]:4 [-2]:1 [0]:2\n");
}

TEST(OtlpMetrics, AHistogramWithoutBoundsHasOneBucket) {
  ProtobufWriter point;
  point.fixed(3, 20);
  point.fixed(4, 7);
  point.real(11, 1);
  point.real(12, 9);
  EXPECT_EQ(read_metric(otlp::histogram("h", {point.text()}, otlp::kDelta)),
            "h|| type 2 temporality 1\n- 0..20 count 7 min 1.000000 max 9.000000 [0]:7\n");
}

TEST(OtlpMetrics, SummariesArePassedOn) {
  EXPECT_EQ(read_metric(otlp::summary("s", {otlp::summary_point({}, kTimes, 3, 1.5, {{0.5, 1}, {1, 2}})})),
            "s|| type 4 temporality 2\n"
            "- 10..20 count 3 sum 1.500000 0.500000=1.000000 1.000000=2.000000\n");
  const std::vector<std::pair<double, double>> many(kOtlpQuantilesMax + 1);
  EXPECT_TRUE(read_metric(otlp::summary("s", {otlp::summary_point({}, kTimes, 3, 1, many)}))
                  .ends_with(" and more\n"));
}

TEST(OtlpMetrics, FlagsAndExemplarsAreSeen) {
  ProtobufWriter point;
  point.fixed(3, 20);
  point.integer(8, 1);
  ProtobufWriter exemplar;
  exemplar.fixed(2, 19);
  exemplar.fixed(6, static_cast<uint64_t>(-7));
  exemplar.bytes(4, std::string("\0\xab", 2));
  exemplar.bytes(5, "AB");
  point.bytes(5, exemplar.text());
  point.bytes(5, "");
  EXPECT_EQ(read_metric(otlp::gauge("g", {point.text()})),
            "g|| type 0 temporality 0\n- 0..20 no value exemplars 2\n"
            "# 19 integer -7 trace 4142 span 00ab\n# 0 trace  span \n");
}

TEST(OtlpMetrics, ADamagedExemplarIsAnError) {
  ProtobufWriter point;
  point.bytes(5, "\x2a\x10");
  MetricsText text;
  EXPECT_FALSE(decode_otlp_metrics(otlp::request({}, {otlp::gauge("g", {point.text()})}), text));
}

// An attribute with this AnyValue.
std::string read_value(const std::string& any_value) {
  ProtobufWriter pair;
  pair.bytes(1, "k");
  pair.bytes(2, any_value);
  ProtobufWriter point;
  point.bytes(7, pair.text());
  const std::string text = read_metric(otlp::gauge("g", {point.text()}));
  const size_t begin = text.find("k=") + 2;
  return text.substr(begin, text.rfind(" 0..0") - begin);
}
std::string integer_value(uint64_t field, int64_t value) {
  ProtobufWriter out;
  out.integer(field, static_cast<uint64_t>(value));
  return out.text();
}
std::string real_value(double value) {
  ProtobufWriter out;
  out.real(4, value);
  return out.text();
}

TEST(OtlpMetrics, EachTypeOfAttributeIsAText) {
  EXPECT_EQ(read_value(otlp::inside(1, "a text")), "a text");
  EXPECT_EQ(read_value(integer_value(2, 1)), "true");
  EXPECT_EQ(read_value(integer_value(2, 0)), "false");
  EXPECT_EQ(read_value(integer_value(3, -7)), "-7");
  EXPECT_EQ(read_value(real_value(0.1)), "0.1");
  EXPECT_EQ(read_value(real_value(std::numeric_limits<double>::infinity())), "Infinity");
  EXPECT_EQ(read_value(otlp::inside(7, "bytes")), "bytes");
  EXPECT_EQ(read_value(""), "");
  const std::string list =
      otlp::inside(1, otlp::inside(1, "a\"b")) + otlp::inside(1, integer_value(3, 5)) + otlp::inside(1, "");
  EXPECT_EQ(read_value(otlp::inside(5, list)), "[\"a\\\"b\",5,null]");
  EXPECT_EQ(read_value(otlp::inside(6, otlp::inside(1, otlp::key_value("x", "y")))), "{\"x\":\"y\"}");
}

TEST(OtlpMetrics, TheLastOfSeveralValuesCounts) {
  EXPECT_EQ(read_value(integer_value(3, -7) + otlp::inside(1, "a text")), "a text");
  EXPECT_EQ(read_value(otlp::inside(1, "a text") + integer_value(3, -7) + real_value(0.1)), "0.1");
  EXPECT_EQ(read_value(otlp::inside(5, otlp::inside(1, integer_value(3, 1))) + integer_value(2, 1)), "true");
}

TEST(OtlpMetrics, ListsInsideListsAreLimited) {
  std::string value = otlp::inside(1, "deep");
  for (int i = 0; i < kOtlpDepthMax; ++i) value = otlp::inside(5, otlp::inside(1, value));
  EXPECT_TRUE(read_value(value).ends_with("[\"deep\"]" + std::string(kOtlpDepthMax - 1, ']')));
  value = otlp::inside(5, otlp::inside(1, value));
  EXPECT_NE(read(otlp::request({}, {otlp::gauge("g", {otlp::inside(7, otlp::inside(2, value))})}))
                .find("protobuf: a damaged attribute"),
            std::string::npos);
}

TEST(OtlpMetrics, MoreAttributesThanAreReadAreSaid) {
  otlp::Attributes many;
  for (size_t i = 0; i <= kOtlpAttributesMax; ++i) many.emplace_back("k" + std::to_string(i), "v");
  EXPECT_NE(read_metric(otlp::gauge("g", {otlp::integer_point(many, kTimes, 1)})).find(" and more 10..20"),
            std::string::npos);
}

TEST(OtlpMetrics, HistogramsThatContradictThemselvesAreRefused) {
  const auto refusal = [](const otlp::Explicit& histogram) {
    const std::string text =
        read_metric(otlp::histogram("h", {otlp::histogram_point({}, {20}, histogram)}, otlp::kDelta));
    const size_t begin = text.find("..20 ") + 5;
    return text.substr(begin, text.find(" count", begin) - begin);
  };
  EXPECT_EQ(refusal({{5, 10}, {1, 2}}), "bad_bucket") << "two counts";
  EXPECT_EQ(refusal({{10, 5}, {1, 2, 3}}), "bad_bucket");
  EXPECT_EQ(refusal({{5}, {1, 2}, std::nan("")}), "not_finite");
  EXPECT_EQ(refusal({std::vector<double>(5000, 1), std::vector<uint64_t>(5001, 1)}), "bad_bucket");
  std::vector<double> bounds(kSentBucketsMax);
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = static_cast<double>(i);
  std::vector<uint64_t> counts(kSentBucketsMax + 1);
  counts.back() = 1;
  EXPECT_EQ(refusal({bounds, counts}).substr(0, 5), "count") << "as many as there may be";
  counts.push_back(0);
  EXPECT_EQ(refusal({bounds, counts}), "bad_bucket");
  const std::string wide = read_metric(otlp::exponential(
      "e", {otlp::exponential_point({}, {20}, {0, 0, {0, std::vector<uint64_t>(kSentBucketsMax + 1)}, {}})},
      otlp::kDelta));
  EXPECT_NE(wide.find("bad_bucket"), std::string::npos);
}

TEST(OtlpMetrics, EveryTruncationIsAnErrorOrALesserMessage) {
  const std::string message = otlp::request(
      {{"service.name", "shop"}},
      {otlp::sum("n", {otlp::integer_point({{"k", "v"}}, kTimes, 5)}, otlp::kDelta),
       otlp::histogram("h", {otlp::histogram_point({}, kTimes, {{5}, {1, 2}, 3})}, otlp::kDelta),
       otlp::exponential("e", {otlp::exponential_point({}, kTimes, {0, 1, {0, {1}}, {0, {2}}, 3})},
                         otlp::kDelta),
       otlp::summary("s", {otlp::summary_point({}, kTimes, 1, 2, {{0.5, 1}})})});
  for (size_t size = 1; size < message.size(); ++size)
    EXPECT_NE(read(message.substr(0, size)).find("damaged"), std::string::npos) << size;
}

}  // namespace
}  // namespace statmill
