#include "proto/otlp/metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "proto/otlp/attributes.h"
#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

Status damaged(std::string_view part) {
  return Error{ErrorCode::kInvalid, "protobuf: a damaged " + std::string(part)};
}

// The fields of the three sorts of points that mean the same.
struct CommonFields {
  uint64_t attributes = 7;
  uint64_t exemplars = 5;
  uint64_t flags = 8;
};
constexpr CommonFields kNumberFields = {7, 5, 8};
constexpr CommonFields kHistogramFields = {9, 8, 10};
constexpr CommonFields kExponentialFields = {1, 11, 10};
constexpr CommonFields kSummaryFields = {7, 0, 8};
constexpr uint64_t kNoValueFlag = 1;

// Reads what all points have. Its memory is used for one point after the other.
class PointReader {
 public:
  void begin() {
    point_ = {};
    attributes_.clear();
  }
  // Reads one field. Returns false if it is damaged.
  bool read(const ProtobufFields& field, const CommonFields& numbers) {
    if (field.is(2, WireType::kFixed64)) point_.start_ns = field.integer();
    if (field.is(3, WireType::kFixed64)) point_.time_ns = field.integer();
    if (field.is(numbers.exemplars, WireType::kBytes)) ++point_.exemplars;
    if (field.is(numbers.flags, WireType::kVarint))
      point_.has_no_value = (field.integer() & kNoValueFlag) != 0;
    return !field.is(numbers.attributes, WireType::kBytes) || attributes_.add(field.bytes());
  }
  const OtlpPoint& point() {
    point_.attributes = attributes_.attributes();
    return point_;
  }

 private:
  OtlpPoint point_;
  OtlpAttributeReader attributes_;
};

// Passes on the exemplars of a point that was passed on.
Status visit_exemplars(std::string_view point, const CommonFields& numbers, OtlpVisitor& visitor) {
  OtlpAttributeReader attributes;
  for (ProtobufFields fields(point); fields.next();) {
    if (!fields.is(numbers.exemplars, WireType::kBytes)) continue;
    OtlpExemplar exemplar;
    attributes.clear();
    ProtobufFields parts(fields.bytes());
    while (parts.next()) {
      if (parts.is(2, WireType::kFixed64)) exemplar.time_ns = parts.integer();
      if (parts.is(3, WireType::kFixed64)) exemplar.number = {parts.real(), {}};
      if (parts.is(4, WireType::kBytes)) exemplar.span_id = parts.bytes();
      if (parts.is(5, WireType::kBytes)) exemplar.trace_id = parts.bytes();
      if (parts.is(6, WireType::kFixed64)) exemplar.number = {{}, parts.signed_integer()};
      if (parts.is(7, WireType::kBytes) && !attributes.add(parts.bytes())) return damaged("attribute");
    }
    if (parts.failed()) return damaged("exemplar");
    exemplar.attributes = attributes.attributes();
    visitor.add_exemplar(exemplar);
  }
  return Status::ok();
}

Status visit_number(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  OtlpNumber number;
  reader.begin();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!reader.read(fields, kNumberFields)) return damaged("attribute");
    if (fields.is(4, WireType::kFixed64)) number = {fields.real(), {}};
    if (fields.is(6, WireType::kFixed64)) number = {{}, fields.signed_integer()};
  }
  if (fields.failed()) return damaged("data point");
  const OtlpPoint& point = reader.point();
  visitor.add_number(point, number);
  return point.exemplars == 0 ? Status::ok() : visit_exemplars(bytes, kNumberFields, visitor);
}

// Sum and extremes, of which infinities and NaNs are a reason to refuse the histogram.
void set_finite(double value, std::optional<Number>& out, OtlpHistogram& histogram) {
  if (std::isfinite(value)) {
    out = Number::shortest(value);
  } else {
    histogram.verdict = Refusal::kNotFinite;
  }
}

void finish(OtlpHistogram& histogram) {
  if (histogram.verdict.is_accepted()) histogram.verdict = check_histogram(histogram.histogram);
}

// The counts and bounds of a histogram, in the order of the message.
class ExplicitBuckets {
 public:
  explicit ExplicitBuckets(OtlpHistogram& out) : out_(out) {}

  void read(const ProtobufFields& field) {
    constexpr uint64_t kCounts = 6;
    constexpr uint64_t kBounds = 7;
    if (field.is(kCounts, WireType::kFixed64)) add_count(field.integer());
    if (field.is(kBounds, WireType::kFixed64)) add_bound(field.real());
    if (field.is(kCounts, WireType::kBytes))
      for_each_8_bytes(field.bytes(), [this](uint64_t bits) { add_count(bits); });
    if (field.is(kBounds, WireType::kBytes))
      for_each_8_bytes(field.bytes(), [this](uint64_t bits) { add_bound(std::bit_cast<double>(bits)); });
  }
  // Requires: the count is set.
  void finish() {
    ForeignHistogram& histogram = out_.histogram;
    // Without bounds, the count is that of the one bucket.
    if (counts_ == 0 && histogram.bounds.empty()) {
      if (histogram.count > 0) histogram.buckets = {{0, histogram.count}};
    } else if (counts_ != histogram.bounds.size() + 1) {
      out_.verdict = Refusal::kBadBucket;
    }
  }

 private:
  template <class Function>
  void for_each_8_bytes(std::string_view packed, const Function& function) {
    if (!each_fixed64(packed, kSentBucketsMax + 2, function)) out_.verdict = Refusal::kBadBucket;
  }
  void add_count(uint64_t count) {
    if (counts_ > kSentBucketsMax) out_.verdict = Refusal::kBadBucket;
    if (out_.verdict.is_accepted() && count > 0)
      out_.histogram.buckets.push_back({static_cast<BucketNumber>(counts_), count});
    ++counts_;
  }
  void add_bound(double bound) {
    if (out_.histogram.bounds.size() >= kSentBucketsMax) {
      out_.verdict = Refusal::kBadBucket;
    } else {
      out_.histogram.bounds.push_back(bound);
    }
  }

  OtlpHistogram& out_;
  size_t counts_ = 0;
};

Status visit_histogram(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  OtlpHistogram out;
  ExplicitBuckets buckets(out);
  reader.begin();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!reader.read(fields, kHistogramFields)) return damaged("attribute");
    if (fields.is(4, WireType::kFixed64)) out.histogram.count = fields.integer();
    if (fields.is(5, WireType::kFixed64)) set_finite(fields.real(), out.histogram.sum, out);
    if (fields.is(11, WireType::kFixed64)) set_finite(fields.real(), out.histogram.min, out);
    if (fields.is(12, WireType::kFixed64)) set_finite(fields.real(), out.histogram.max, out);
    buckets.read(fields);
  }
  if (fields.failed()) return damaged("data point");
  buckets.finish();
  finish(out);
  const OtlpPoint& point = reader.point();
  visitor.add_histogram(point, out);
  return point.exemplars == 0 ? Status::ok() : visit_exemplars(bytes, kHistogramFields, visitor);
}

// One side of an exponential histogram, ascending by index. Returns false if the message is damaged.
bool read_side(std::string_view message, OtlpHistogram& out, std::vector<SentBucket>& side) {
  int64_t offset = 0;
  size_t counts = 0;
  side.clear();
  const auto add = [&](uint64_t count) {
    if (counts >= kSentBucketsMax) {
      out.verdict = Refusal::kBadBucket;
    } else if (count > 0) {
      side.push_back({static_cast<int64_t>(counts), count});
    }
    ++counts;
  };
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.is(1, WireType::kVarint)) offset = static_cast<int64_t>(unzigzag(fields.integer()));
    if (fields.is(2, WireType::kVarint)) add(fields.integer());
    if (fields.is(2, WireType::kBytes)) {
      Reader packed(fields.bytes());
      while (!packed.done() && !packed.failed() && counts <= kSentBucketsMax) add(packed.varint());
      if (packed.failed()) return false;
    }
  }
  if (offset < INT32_MIN || offset > INT32_MAX) return false;
  for (SentBucket& bucket : side) bucket.number += offset;
  return !fields.failed();
}

// Puts the sides together, ascending by value.
void set_buckets(const std::vector<SentBucket>& negative, uint64_t zeros,
                 const std::vector<SentBucket>& positive, ForeignHistogram& out) {
  out.buckets.reserve(negative.size() + positive.size() + 1);
  for (size_t i = negative.size(); i-- > 0;)
    out.buckets.push_back({exponential_bucket(negative[i].number, true), negative[i].count});
  if (zeros > 0) out.buckets.push_back({0, zeros});
  for (const SentBucket& bucket : positive)
    out.buckets.push_back({exponential_bucket(bucket.number, false), bucket.count});
}

Status visit_exponential(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  OtlpHistogram out;
  ForeignHistogram& histogram = out.histogram;
  histogram.is_exponential = true;
  std::vector<SentBucket> positive;
  std::vector<SentBucket> negative;
  uint64_t zeros = 0;
  reader.begin();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!reader.read(fields, kExponentialFields)) return damaged("attribute");
    if (fields.is(4, WireType::kFixed64)) histogram.count = fields.integer();
    if (fields.is(5, WireType::kFixed64)) set_finite(fields.real(), histogram.sum, out);
    if (fields.is(6, WireType::kVarint)) histogram.scale = static_cast<int32_t>(unzigzag(fields.integer()));
    if (fields.is(7, WireType::kFixed64)) zeros = fields.integer();
    if (fields.is(8, WireType::kBytes) && !read_side(fields.bytes(), out, positive)) return damaged("bucket");
    if (fields.is(9, WireType::kBytes) && !read_side(fields.bytes(), out, negative)) return damaged("bucket");
    if (fields.is(12, WireType::kFixed64)) set_finite(fields.real(), histogram.min, out);
    if (fields.is(13, WireType::kFixed64)) set_finite(fields.real(), histogram.max, out);
    if (fields.is(14, WireType::kFixed64)) histogram.zero_threshold = fields.real();
  }
  if (fields.failed()) return damaged("data point");
  if (!std::isfinite(histogram.zero_threshold)) out.verdict = Refusal::kNotFinite;
  set_buckets(negative, zeros, positive, histogram);
  finish(out);
  const OtlpPoint& point = reader.point();
  visitor.add_histogram(point, out);
  return point.exemplars == 0 ? Status::ok() : visit_exemplars(bytes, kExponentialFields, visitor);
}

Status visit_summary(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  OtlpSummary out;
  std::array<OtlpQuantile, kOtlpQuantilesMax> quantiles;
  size_t count = 0;
  reader.begin();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!reader.read(fields, kSummaryFields)) return damaged("attribute");
    if (fields.is(4, WireType::kFixed64)) out.count = fields.integer();
    if (fields.is(5, WireType::kFixed64)) out.sum = fields.real();
    if (!fields.is(6, WireType::kBytes)) continue;
    OtlpQuantile quantile;
    ProtobufFields pair(fields.bytes());
    while (pair.next()) {
      if (pair.is(1, WireType::kFixed64)) quantile.quantile = pair.real();
      if (pair.is(2, WireType::kFixed64)) quantile.value = pair.real();
    }
    if (pair.failed()) return damaged("quantile");
    if (count < quantiles.size()) quantiles[count] = quantile;
    ++count;
  }
  if (fields.failed()) return damaged("data point");
  out.quantiles = std::span(quantiles).first(std::min(count, quantiles.size()));
  out.has_all = count <= quantiles.size();
  visitor.add_summary(reader.point(), out);
  return Status::ok();
}

// The field of a Metric that has its points, and what they are.
struct Data {
  uint64_t field = 0;
  OtlpType type = OtlpType::kGauge;
  Status (*visit)(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) = nullptr;
};
constexpr std::array<Data, 5> kData = {{{5, OtlpType::kGauge, visit_number},
                                        {7, OtlpType::kSum, visit_number},
                                        {9, OtlpType::kHistogram, visit_histogram},
                                        {10, OtlpType::kExponentialHistogram, visit_exponential},
                                        {11, OtlpType::kSummary, visit_summary}}};

// Passes on the metric with these points.
Status visit_data(const Data& data, OtlpMetric metric, std::string_view bytes, PointReader& reader,
                  OtlpVisitor& visitor) {
  metric.type = data.type;
  if (data.type == OtlpType::kSummary) metric.temporality = OtlpTemporality::kCumulative;
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(2, WireType::kVarint) &&
        fields.integer() <= static_cast<uint64_t>(OtlpTemporality::kCumulative))
      metric.temporality = static_cast<OtlpTemporality>(fields.integer());
    if (fields.is(3, WireType::kVarint)) metric.is_monotonic = fields.integer() != 0;
  }
  if (fields.failed()) return damaged("metric");
  visitor.begin_metric(metric);
  for (ProtobufFields points(bytes); points.next();) {
    if (!points.is(1, WireType::kBytes)) continue;
    if (Status s = data.visit(points.bytes(), reader, visitor); !s) return s;
  }
  return Status::ok();
}

Status visit_metric(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  OtlpMetric metric;
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) metric.name = fields.bytes();
    if (fields.is(2, WireType::kBytes)) metric.description = fields.bytes();
    if (fields.is(3, WireType::kBytes)) metric.unit = fields.bytes();
  }
  if (fields.failed()) return damaged("metric");
  for (ProtobufFields points(bytes); points.next();) {
    for (const Data& data : kData) {
      if (!points.is(data.field, WireType::kBytes)) continue;
      if (Status s = visit_data(data, metric, points.bytes(), reader, visitor); !s) return s;
    }
  }
  return Status::ok();
}

Status visit_scope(std::string_view bytes, PointReader& reader, OtlpVisitor& visitor) {
  std::string_view scope;
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) scope = fields.bytes();
  }
  if (fields.failed()) return damaged("scope");
  visitor.begin_scope(scope);
  for (ProtobufFields metrics(bytes); metrics.next();) {
    if (!metrics.is(2, WireType::kBytes)) continue;
    if (Status s = visit_metric(metrics.bytes(), reader, visitor); !s) return s;
  }
  return Status::ok();
}

// Reads the attributes of the resource, and passes them on.
Status begin_resource(std::string_view bytes, OtlpAttributeReader& attributes, OtlpVisitor& visitor) {
  attributes.clear();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (!fields.is(1, WireType::kBytes)) continue;
    ProtobufFields resource(fields.bytes());
    while (resource.next()) {
      if (resource.is(1, WireType::kBytes) && !attributes.add(resource.bytes())) return damaged("attribute");
    }
    if (resource.failed()) return damaged("resource");
  }
  if (fields.failed()) return damaged("resource");
  visitor.begin_resource(attributes.attributes());
  return Status::ok();
}

}  // namespace

Status decode_otlp_metrics(std::string_view message, OtlpVisitor& visitor) {
  PointReader reader;
  OtlpAttributeReader attributes;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (!fields.is(1, WireType::kBytes)) continue;
    const std::string_view resource = fields.bytes();
    if (Status s = begin_resource(resource, attributes, visitor); !s) return s;
    for (ProtobufFields scopes(resource); scopes.next();) {
      if (!scopes.is(2, WireType::kBytes)) continue;
      if (Status s = visit_scope(scopes.bytes(), reader, visitor); !s) return s;
    }
    visitor.end_resource();
  }
  return fields.failed() ? damaged("request") : Status::ok();
}

}  // namespace statmill
