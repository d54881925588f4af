// What Go's client pushes: golden bytes of each type of family, and messages that are none.
#include "proto/prometheus/metric_families.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "proto/prometheus/exposition_reader.h"
#include "proto/protobuf_writer.h"

namespace statmill {
namespace {

constexpr size_t kMuch = size_t{1} << 20;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return out;
}

// A counter, a gauge, a histogram with both kinds of buckets, a summary and an untyped metric.
const std::string& golden() {
  static const std::string bytes = from_hex(
      "370a0a726f77735f746f74616c120e526f77730a696e205c20616c6c2e180022170a0a0a026462120461225c0a1a0909000000"
      "0000"
      "001440230a0b74656d702e696e7369646518012212120909000000000000f87f3080d095ffbc313a0a04746f6f6b180422303a"
      "2e08"
      "051100000000000025401a0b080211000000000000e03f1a12210000000000000c4011000000000000f03f28062a0a036c6174"
      "1802"
      "2221221f08031100000000000012401a1209ae47e17a14aeef3f110000000000000040120a01781803220b2a09099c7500883c"
      "e437"
      "fe");
  return bytes;
}

std::string delimited(const std::string& family) {
  ProtobufWriter writer;
  writer.bytes(1, family);
  return writer.text().substr(1);  // without the key
}

// A family with one metric whose field has this message.
std::string family(uint64_t type, uint64_t field, const std::string& value) {
  ProtobufWriter metric;
  metric.bytes(field, value);
  ProtobufWriter out;
  out.bytes(1, "a");
  out.integer(3, type);
  out.bytes(4, metric.text());
  return delimited(out.text());
}

std::string refusal(std::string_view messages, size_t bytes_max = kMuch) {
  const auto text = text_of_metric_families(messages, bytes_max);
  return text ? "none: " + *text : text.error().message;
}

std::string label(const std::string& name, const std::string& value) {
  ProtobufWriter pair;
  pair.bytes(1, name);
  pair.bytes(2, value);
  return pair.text();
}

std::string timestamp(uint64_t seconds, uint64_t nanoseconds) {
  ProtobufWriter out;
  out.integer(1, seconds);
  out.integer(2, nanoseconds);
  return out.text();
}

// A counter with the value 5 and this exemplar.
std::string counter_with(const std::string& exemplar) {
  ProtobufWriter counter;
  counter.real(1, 5);
  counter.bytes(2, exemplar);
  return family(0, 3, counter.text());
}

// What the reader makes of an exemplar: "labels value time"; "none" or "bad".
std::string exemplar_read(const std::string& messages) {
  const auto text = text_of_metric_families(messages, kMuch);
  if (!text) return text.error().message;
  ExpositionReader reader(*text, ExpositionFormat::kMetricFamilies);
  std::string out;
  for (auto item = reader.next(); item != ExpositionReader::Item::kEnd; item = reader.next()) {
    if (item == ExpositionReader::Item::kFault) return "fault";
    if (item != ExpositionReader::Item::kSample) continue;
    const ExpositionSample& sample = reader.sample();
    if (sample.has_bad_exemplar) return "bad";
    if (!sample.exemplar) return "none";
    for (const LabelView& one : sample.exemplar->labels)
      out.append(one.name).append("=").append(one.value).append(" ");
    out.append(std::to_string(sample.exemplar->value.value()));
    if (sample.exemplar->time_ms) out.append(" ").append(std::to_string(*sample.exemplar->time_ms));
  }
  return out;
}

TEST(MetricFamilies, ExemplarsOfCountersAndBucketsAreAsInOpenMetrics) {
  ProtobufWriter exemplar;
  exemplar.bytes(1, label("trace_id", "4b\"f\n9"));
  exemplar.bytes(1, label("span_id", "a"));
  exemplar.real(2, 0.25);
  exemplar.bytes(3, timestamp(1'700'000'000, 7'999'999));
  const std::string written = " # {\"trace_id\"=\"4b\\\"f\\n9\",\"span_id\"=\"a\"} 0.25 1700000000.007\n";
  EXPECT_EQ(refusal(counter_with(exemplar.text())), "none: # TYPE \"a\" counter\n{\"a\"} 5" + written);
  EXPECT_EQ(exemplar_read(counter_with(exemplar.text())),
            "trace_id=4b\"f\n9 span_id=a 0.250000 1700000000007");
  ProtobufWriter bucket;
  bucket.integer(1, 3);
  bucket.real(2, 0.5);
  bucket.bytes(3, exemplar.text());
  ProtobufWriter histogram;
  histogram.integer(1, 3);
  histogram.bytes(3, bucket.text());
  EXPECT_EQ(refusal(family(4, 7, histogram.text())),
            "none: # TYPE \"a\" histogram\n"
            "{\"a_bucket\",\"le\"=\"0.5\"} 3" +
                written +
                "{\"a_bucket\",\"le\"=\"+Inf\"} 3\n"
                "{\"a_sum\"} 0\n"
                "{\"a_count\"} 3\n");
}

TEST(MetricFamilies, AnExemplarThatCannotBeReadRefusesNoSample) {
  const auto with = [](const std::string& labels, double value, const std::string& time) {
    ProtobufWriter exemplar;
    if (!labels.empty()) exemplar.bytes(1, labels);
    exemplar.real(2, value);
    if (!time.empty()) exemplar.bytes(3, time);
    return counter_with(exemplar.text());
  };
  const std::string a = label("a", "b");
  EXPECT_EQ(exemplar_read(with(a, 1, "")), "a=b 1.000000");
  EXPECT_EQ(exemplar_read(with("", 1, "")), "1.000000");
  EXPECT_EQ(exemplar_read(with(a, 1, timestamp(0, 0))), "a=b 1.000000 0");
  EXPECT_EQ(exemplar_read(with(label("", "b"), 1, "")), "bad") << "a label without a name";
  EXPECT_EQ(exemplar_read(with(a, std::numeric_limits<double>::infinity(), "")), "bad");
  EXPECT_EQ(exemplar_read(with(a, 1, timestamp(1, 1'000'000'000))), "bad");
  EXPECT_EQ(exemplar_read(with(a, 1, timestamp(~uint64_t{0}, 0))), "bad") << "before 1970";
  EXPECT_EQ(exemplar_read(with(a, 1, timestamp(uint64_t{1} << 62, 0))), "bad");
  EXPECT_EQ(exemplar_read(with(label("a", std::string(100'000, 'x')), 1, "")), "bad")
      << "a longer line would be a fault";
  EXPECT_EQ(exemplar_read(counter_with("\x0a")), "protobuf: a damaged MetricFamily");
  EXPECT_EQ(exemplar_read(with(a, 1, "\x08")), "bad") << "a damaged time";
  ProtobufWriter counter;
  counter.real(1, 5);
  EXPECT_EQ(exemplar_read(family(0, 3, counter.text())), "none");
}

// Its buckets may go down, and are no counters.
TEST(MetricFamilies, AGaugeHistogramStaysOne) {
  ProtobufWriter histogram;
  histogram.integer(1, 3);
  histogram.real(2, 1.5);
  EXPECT_EQ(refusal(family(5, 7, histogram.text())),
            "none: # TYPE \"a\" gaugehistogram\n"
            "{\"a_bucket\",\"le\"=\"+Inf\"} 3\n"
            "{\"a_gsum\"} 1.5\n"
            "{\"a_gcount\"} 3\n");
}

TEST(MetricFamilies, BecomeTheText) {
  const auto text = text_of_metric_families(golden(), kMuch);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text,
            "# HELP \"rows_total\" Rows\\nin \\\\ all.\n"
            "# TYPE \"rows_total\" counter\n"
            "{\"rows_total\",\"db\"=\"a\\\"\\\\\\n\"} 5\n"
            "# TYPE \"temp.inside\" gauge\n"
            "{\"temp.inside\"} NaN 1700000000000\n"
            "# TYPE \"took\" histogram\n"
            "{\"took_bucket\",\"le\"=\"0.5\"} 2\n"
            "{\"took_bucket\",\"le\"=\"1\"} 3.5\n"
            "{\"took_bucket\",\"le\"=\"+Inf\"} 5\n"
            "{\"took_sum\"} 10.5\n"
            "{\"took_count\"} 5\n"
            "# TYPE \"lat\" summary\n"
            "{\"lat\",\"quantile\"=\"0.99\"} 2\n"
            "{\"lat_sum\"} 4.5\n"
            "{\"lat_count\"} 3\n"
            "# TYPE \"x\" untyped\n"
            "{\"x\"} -1e+300\n");
  EXPECT_EQ(*text_of_metric_families("", kMuch), "");
}

TEST(MetricFamilies, TheTextHasTheSamplesAndTheirFamilies) {
  const std::string text = *text_of_metric_families(golden(), kMuch);
  ExpositionReader reader(text, ExpositionFormat::kText);
  std::vector<std::string> names;
  for (auto item = reader.next(); item != ExpositionReader::Item::kEnd; item = reader.next()) {
    ASSERT_NE(item, ExpositionReader::Item::kFault) << reader.line();
    if (item != ExpositionReader::Item::kSample) continue;
    names.emplace_back(reader.sample().name);
    EXPECT_TRUE(reader.sample().name.starts_with(reader.family().name));
    if (names.size() > 1) continue;
    ASSERT_EQ(reader.sample().labels.size(), 1U);
    EXPECT_EQ(reader.sample().labels.front().value, "a\"\\\n");
    EXPECT_EQ(reader.family().help, "Rows\nin \\ all.");
  }
  EXPECT_EQ(names.size(), 11U);
}

TEST(MetricFamilies, NamesAddNoLines) {
  ProtobufWriter value;
  value.real(1, 1);
  ProtobufWriter metric;
  metric.bytes(5, value.text());
  ProtobufWriter out;
  out.bytes(1, "a\"} 1\nb");
  out.bytes(2, "help\nc 1");
  out.integer(3, 3);
  out.bytes(4, metric.text());
  EXPECT_EQ(*text_of_metric_families(delimited(out.text()), kMuch),
            "# HELP \"a\\\"} 1\\nb\" help\\nc 1\n# TYPE \"a\\\"} 1\\nb\" untyped\n{\"a\\\"} 1\\nb\"} 1\n");
}

TEST(MetricFamilies, OnlyNativeHistogramsAreRefused) {
  ProtobufWriter span;
  span.integer(1, 0);
  span.integer(2, 1);
  ProtobufWriter native;
  native.integer(1, 5);
  native.bytes(12, span.text());
  EXPECT_EQ(refusal(family(4, 7, native.text())), "a native histogram without classic buckets is not stored");
  ProtobufWriter empty;
  empty.integer(5, 6);
  EXPECT_EQ(refusal(family(4, 7, empty.text())), "a native histogram without classic buckets is not stored");
  ProtobufWriter neither;
  neither.integer(1, 5);
  EXPECT_EQ(
      refusal(family(4, 7, neither.text())),
      "none: # TYPE \"a\" histogram\n{\"a_bucket\",\"le\"=\"+Inf\"} 5\n{\"a_sum\"} 0\n{\"a_count\"} 5\n");
}

TEST(MetricFamilies, ValuesOfAnotherTypeAreRefused) {
  EXPECT_EQ(refusal(family(0, 2, "")), "a metric without a value of its family's type");
  EXPECT_EQ(refusal(family(4, 4, "")), "a metric without a value of its family's type");
  EXPECT_EQ(refusal(family(2, 7, "")), "a metric without a value of its family's type");
  EXPECT_EQ(refusal(family(0, 3, "")), "none: # TYPE \"a\" counter\n{\"a\"} 0\n");
}

TEST(MetricFamilies, EveryCutIsRefused) {
  const std::string& whole = golden();
  size_t accepted = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (text_of_metric_families(whole.substr(0, size), kMuch)) ++accepted;
  }
  EXPECT_EQ(accepted, 5U) << "those between two messages, and nothing";
}

TEST(MetricFamilies, HostileLengthsAreRefused) {
  for (const char* hex : {"ff", "ffffffffffffffffff01", "ffffffffffffffffffff01", "80808080808080808080",
                          "050affffffff0f", "0322ff7f", "0b"})
    EXPECT_EQ(refusal(from_hex(hex)), "protobuf: a damaged MetricFamily") << hex;
}

// Each bucket repeats all labels.
TEST(MetricFamilies, ALongTextIsRefused) {
  ProtobufWriter label;
  label.bytes(1, "a");
  label.bytes(2, std::string(50'000, 'x'));
  ProtobufWriter histogram;
  for (int i = 0; i < 10'000; ++i) histogram.bytes(3, "");
  ProtobufWriter metric;
  metric.bytes(1, label.text());
  metric.bytes(7, histogram.text());
  ProtobufWriter out;
  out.integer(3, 4);
  out.bytes(4, metric.text());
  const auto text = text_of_metric_families(delimited(out.text()), kMuch);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill
