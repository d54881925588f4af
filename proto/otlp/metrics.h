// Decodes opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest, which OTLP sends, in the
// encoding of protobuf. otlp_json.h turns that of JSON into it.
//
// Source: github.com/open-telemetry/opentelemetry-proto, metrics.proto, common.proto and resource.proto of
// 1.5; opentelemetry.io/docs/specs/otel/metrics/data-model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/foreign_histogram.h"
#include "proto/label_view.h"

namespace statmill {

// How many attributes of a point or a resource are passed on.
inline constexpr size_t kOtlpAttributesMax = 128;
// How many quantiles of a summary are passed on.
inline constexpr size_t kOtlpQuantilesMax = 64;
// How deep lists and maps may be inside one another in the value of an attribute.
inline constexpr int kOtlpDepthMax = 16;

// Attributes as labels: texts as they are, the rest as JSON writes it, bytes in base64. Views into the
// message, or valid until the next call to the visitor. Nothing is checked.
struct OtlpAttributes {
  std::span<const LabelView> labels;
  bool has_all = true;  // false: there are more than kOtlpAttributesMax
};

enum class OtlpType : uint8_t { kGauge, kSum, kHistogram, kExponentialHistogram, kSummary };
enum class OtlpTemporality : uint8_t { kUnspecified = 0, kDelta = 1, kCumulative = 2 };

struct OtlpMetric {
  std::string_view name;
  std::string_view description;
  std::string_view unit;
  OtlpType type = OtlpType::kGauge;
  OtlpTemporality temporality = OtlpTemporality::kUnspecified;  // a summary is cumulative, a gauge has none
  bool is_monotonic = false;                                    // of a sum
};

// What all sorts of points have.
struct OtlpPoint {
  OtlpAttributes attributes;
  uint64_t start_ns = 0;      // since when it counts; 0: unknown
  uint64_t time_ns = 0;       // since 1970
  bool has_no_value = false;  // its sender says that the series has none now
  uint64_t exemplars = 0;     // how many follow
};

// One of both, or none.
struct OtlpNumber {
  std::optional<double> real{};  // any bits
  std::optional<int64_t> integer{};
};

struct OtlpExemplar {
  OtlpAttributes attributes;  // that its point does not have
  uint64_t time_ns = 0;       // since 1970; 0: unknown
  OtlpNumber number;
  std::string_view trace_id;  // bytes
  std::string_view span_id;
};

// As it was sent, and a reason to refuse it; or what check_histogram() accepts.
struct OtlpHistogram {
  ForeignHistogram histogram;
  Verdict<Refusal> verdict = kAccepted;
};

struct OtlpQuantile {
  double quantile = 0;
  double value = 0;
};
struct OtlpSummary {
  uint64_t count = 0;
  double sum = 0;
  std::span<const OtlpQuantile> quantiles;
  bool has_all = true;  // false: there are more than kOtlpQuantilesMax
};

// Receives a message part by part. Its texts are views into the message; all others are valid until the call
// returns.
class OtlpVisitor {
 public:
  virtual ~OtlpVisitor() = default;
  virtual void begin_resource(const OtlpAttributes& resource) = 0;
  virtual void end_resource() = 0;
  // What describes a scope, as bytes.
  virtual void begin_scope(std::string_view scope) = 0;
  virtual void begin_metric(const OtlpMetric& metric) = 0;
  // A point of the metric before: of a gauge or a sum, a histogram of either sort, a summary.
  virtual void add_number(const OtlpPoint& point, const OtlpNumber& number) = 0;
  virtual void add_histogram(const OtlpPoint& point, const OtlpHistogram& histogram) = 0;
  virtual void add_summary(const OtlpPoint& point, const OtlpSummary& summary) = 0;
  // An exemplar of the point before, a number or a histogram.
  virtual void add_exemplar(const OtlpExemplar& exemplar) = 0;
};

// Errors: kInvalid (no such message, or an attribute beyond kOtlpDepthMax). Parts before the error may have
// been passed on. Cost: linear in the bytes; memory for one point.
Status decode_otlp_metrics(std::string_view message, OtlpVisitor& visitor);

}  // namespace statmill
