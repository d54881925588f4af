#include "proto/otlp/otlp_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/proto/otlp/metrics_text.h"

namespace statmill {
namespace {

std::string read(std::string_view json) {
  const auto message = otlp_json_to_protobuf(json);
  if (!message) return message.error().message;
  MetricsText text;
  const Status decoded = decode_otlp_metrics(*message, text);
  return decoded ? text.text() : decoded.error().message;
}

std::string in_metric(const std::string& fields) {
  return R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{)" + fields + "}]}]}]}";
}
std::string in_point(const std::string& fields) {
  return in_metric(R"("name":"g","gauge":{"dataPoints":[{)" + fields + "}]}");
}
// What the text has after the metric's line.
std::string read_point(const std::string& fields) {
  const std::string text = read(in_point(fields));
  const size_t begin = text.find("\n- ");
  return begin == std::string::npos ? text : text.substr(begin + 3, text.rfind("\nend") - begin - 3);
}

TEST(OtlpJson, EachPartIsRead) {
  EXPECT_EQ(read(R"({
    "resourceMetrics": [{
      "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]},
      "schemaUrl": "https://opentelemetry.io/schemas/1.24.0",
      "scopeMetrics": [{
        "scope": {"name": "lib", "version": "1"},
        "metrics": [
          {"name": "n", "unit": "By", "description": "Bytes.", "metadata": [],
           "sum": {"aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [
             {"asInt": "-5", "startTimeUnixNano": "10", "timeUnixNano": 20, "flags": 1,
              "attributes": [{"key": "k", "value": {"intValue": "7"}}],
              "exemplars": [{"spanId": "0aFf", "traceId": "01", "asDouble": 1.5, "timeUnixNano": "19",
                             "filteredAttributes": [{"key": "a", "value": {"stringValue": "b"}}]}]}]}},
          {"name": "h", "histogram": {"aggregationTemporality": 1, "dataPoints": [
             {"timeUnixNano": "20", "count": 3, "sum": 33, "min": 1, "max": 12.5,
              "bucketCounts": ["1", 0, "2"], "explicitBounds": [5, 10.5]}]}},
          {"name": "e", "exponentialHistogram": {"aggregationTemporality": 1, "dataPoints": [
             {"timeUnixNano": "20", "count": 10, "scale": -1, "zeroCount": 4, "zeroThreshold": 0.5,
              "positive": {"offset": -2, "bucketCounts": [1, 0, 2]},
              "negative": {"offset": 7, "bucketCounts": ["0", "3"]}}]}},
          {"name": "s", "summary": {"dataPoints": [
             {"timeUnixNano": "20", "count": 3, "sum": 1.5,
              "quantileValues": [{"quantile": 0.5, "value": 1}, {"quantile": 1, "value": "NaN"}]}]}}
        ]}]}]})"),
            "resource service.name=shop\n"
            "scope 8\n"
            "n|By|Bytes. type 1 temporality 2 monotonic\n"
            "- k=7 10..20 no value exemplars 1 integer -5\n"
            "# a=b 19 real 1.500000 trace 01 span 0aff\n"
            "h|| type 2 temporality 1\n"
            "- 0..20 count 3 sum 33.000000 min 1.000000 max 12.500000 <5.000000 <10.500000 [0]:1 [2]:2\n"
            "e|| type 3 temporality 1\n"
            "- 0..20 count 10 scale -1 zero 0.500000 -[-8]:3 [0]:4 [-2]:1 [0]:2\n"
            "s|| type 4 temporality 2\n"
            "- 0..20 count 3 sum 1.500000 0.500000=1.000000 1.000000=nan\n"
            "end\n");
  EXPECT_EQ(read("{}"), "");
  EXPECT_EQ(read(" {} \n"), "");
}

TEST(OtlpJson, NumbersComeInSeveralForms) {
  EXPECT_EQ(read_point(R"("asInt": 9007199254740993)"), "0..0 integer 9007199254740993");
  EXPECT_EQ(read_point(R"("asInt": "-9223372036854775808")"), "0..0 integer -9223372036854775808");
  EXPECT_EQ(read_point(R"("asInt": 1e3)"), "0..0 integer 1000");
  EXPECT_EQ(read_point(R"("asDouble": 5)"), "0..0 real 5.000000");
  EXPECT_EQ(read_point(R"("asDouble": "0.25")"), "0..0 real 0.250000");
  EXPECT_EQ(read_point(R"("asDouble": "Infinity")"), "0..0 real inf");
  EXPECT_EQ(read_point(R"("asDouble": "-Infinity")"), "0..0 real -inf");
  EXPECT_EQ(read_point(R"("timeUnixNano": 18446744073709551615)"), "0..18446744073709551615");
  EXPECT_EQ(read_point(R"("asInt": null, "timeUnixNano": 5)"), "0..5");
}

TEST(OtlpJson, ADoubleIsTheNearestOne) {
  const auto message = otlp_json_to_protobuf(in_point(R"("asDouble": 0.1234567890123456789)"));
  ASSERT_TRUE(message.has_value());
  class Only final : public OtlpVisitor {
   public:
    void begin_resource(const OtlpAttributes&) override {}
    void end_resource() override {}
    void begin_scope(std::string_view) override {}
    void begin_metric(const OtlpMetric&) override {}
    void add_number(const OtlpPoint&, const OtlpNumber& number) override { value = *number.real; }
    void add_histogram(const OtlpPoint&, const OtlpHistogram&) override {}
    void add_summary(const OtlpPoint&, const OtlpSummary&) override {}
    void add_exemplar(const OtlpExemplar&) override {}
    double value = 0;
  } only;
  ASSERT_TRUE(decode_otlp_metrics(*message, only));
  EXPECT_EQ(only.value, 0.1234567890123456789);
}

TEST(OtlpJson, AttributesOfEachType) {
  const auto value = [](const std::string& any) {
    const std::string text = read_point(R"("attributes":[{"key":"k","value":)" + any + "}]");
    return text.substr(0, text.find(" 0..0"));
  };
  EXPECT_EQ(value(R"({"stringValue":"a\u00e9\n"})"), "k=a\xc3\xa9\n");
  EXPECT_EQ(value(R"({"boolValue":true})"), "k=true");
  EXPECT_EQ(value(R"({"doubleValue":1.5})"), "k=1.5");
  EXPECT_EQ(value(R"({"bytesValue":"YWJj"})"), "k=abc");
  EXPECT_EQ(value(R"({"arrayValue":{"values":[{"stringValue":"a"},{"intValue":1}]}})"), "k=[\"a\",1]");
  EXPECT_EQ(value(R"({"kvlistValue":{"values":[{"key":"x","value":{"intValue":1}}]}})"), "k={\"x\":1}");
  EXPECT_EQ(value("{}"), "k=");
}

TEST(OtlpJson, UnknownKeysAreIgnoredWithAllThatIsInThem) {
  EXPECT_EQ(
      read_point(R"("x":{"dataPoints":[{"asInt":3}],"y":[[1],{"z":null}]},"w":[true,"t",1.5],"asInt":5)"),
      "0..0 integer 5");
  EXPECT_EQ(read(R"({"resource_metrics":[{}]})"), "") << "keys are in lowerCamelCase";
}

TEST(OtlpJson, WhatIsWrongIsSaid) {
  struct Case {
    std::string json;
    std::string want;
  };
  const std::vector<Case> table = {
      {"", "JSON: "},
      {"{", "JSON: "},
      {"{} {}", "JSON: more after its end"},
      {"[]", "wrong type: the request is no object"},
      {"5", "wrong type: the request is no object"},
      {"null", "wrong type: the request is no object"},
      {R"({"resourceMetrics":{}})", "wrong type: resourceMetrics"},
      {R"({"resourceMetrics":[[]]})", "wrong type: resourceMetrics"},
      {R"({"resourceMetrics":[5]})", "wrong type: resourceMetrics"},
      {R"({"resourceMetrics":[null]})", "wrong type: resourceMetrics"},
      {in_metric(R"("name":5)"), "wrong type: name"},
      {in_metric(R"("gauge":[])"), "wrong type: gauge"},
      {in_point(R"("asInt":1.5)"), "wrong type: asInt"},
      {in_point(R"("asInt":"x")"), "wrong type: asInt"},
      {in_point(R"("asInt":true)"), "wrong type: asInt"},
      {in_point(R"("timeUnixNano":-1)"), "wrong type: timeUnixNano"},
      {in_point(R"("asDouble":1e999)"), "wrong type: asDouble"},
      {in_point(R"("attributes":[{"value":{"bytesValue":"?"}}])"), "wrong type: bytesValue"},
      {"{\"a\":\"\xff\"}", "JSON: "},
  };
  for (const Case& one : table) EXPECT_NE(read(one.json).find(one.want), std::string::npos) << one.json;
}

TEST(OtlpJson, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(read(nested(kOtlpJsonDepthMax - 1)), "");
  EXPECT_NE(read(nested(kOtlpJsonDepthMax)).find("JSON: "), std::string::npos);
  EXPECT_NE(read(nested(1'000'000)).find("JSON: "), std::string::npos);
}

TEST(OtlpJson, TheMessageIsAtMostFiveTimesAsLong) {
  std::string json = R"({"resourceMetrics":[)";
  for (int i = 0; i < 1000; ++i) json += i == 0 ? "{}" : ",{}";
  EXPECT_LE(otlp_json_to_protobuf(json + "]}")->size(), 5 * json.size());
  std::string counts = R"("histogram":{"dataPoints":[{"bucketCounts":[0)";
  for (int i = 0; i < 1000; ++i) counts += ",0";
  const std::string long_one = in_metric(counts + "]}]}");
  EXPECT_LE(otlp_json_to_protobuf(long_one)->size(), 5 * long_one.size());
}

}  // namespace
}  // namespace statmill
