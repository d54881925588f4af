// Writes the messages of OTLP in the encoding of protobuf, as an SDK does, part by part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "proto/protobuf_writer.h"

namespace statmill::otlp {

using Attributes = std::vector<std::pair<std::string, std::string>>;

inline constexpr uint64_t kDelta = 1;
inline constexpr uint64_t kCumulative = 2;

// A message with one field, which is a message.
inline std::string inside(uint64_t field, std::string_view message) {
  ProtobufWriter out;
  out.bytes(field, message);
  return out.text();
}

inline std::string key_value(std::string_view key, std::string_view value) {
  ProtobufWriter out;
  out.bytes(1, key);
  out.bytes(2, inside(1, value));
  return out.text();
}

struct Times {
  uint64_t time_ns = 0;
  uint64_t start_ns = 0;
};

inline void write_common(ProtobufWriter& out, uint64_t attributes_field, const Attributes& attributes,
                         const Times& times) {
  for (const auto& [key, value] : attributes) out.bytes(attributes_field, key_value(key, value));
  if (times.start_ns != 0) out.fixed(2, times.start_ns);
  out.fixed(3, times.time_ns);
}

inline std::string integer_point(const Attributes& attributes, const Times& times, int64_t value) {
  ProtobufWriter out;
  write_common(out, 7, attributes, times);
  out.fixed(6, static_cast<uint64_t>(value));
  return out.text();
}
inline std::string real_point(const Attributes& attributes, const Times& times, double value) {
  ProtobufWriter out;
  write_common(out, 7, attributes, times);
  out.real(4, value);
  return out.text();
}

struct Explicit {
  std::vector<double> bounds;
  std::vector<uint64_t> counts;
  double sum = 0;
};
inline std::string histogram_point(const Attributes& attributes, const Times& times,
                                   const Explicit& histogram) {
  ProtobufWriter out;
  write_common(out, 9, attributes, times);
  uint64_t count = 0;
  std::string counts;
  for (const uint64_t one : histogram.counts) {
    count += one;
    for (int i = 0; i < 8; ++i) counts += static_cast<char>(one >> (8 * i));
  }
  out.fixed(4, count);
  out.real(5, histogram.sum);
  out.bytes(6, counts);
  for (const double bound : histogram.bounds) out.real(7, bound);
  return out.text();
}

struct Side {
  int32_t offset = 0;
  std::vector<uint64_t> counts;
};
struct Exponential {
  int32_t scale = 0;
  uint64_t zeros = 0;
  Side positive;
  Side negative;
  double sum = 0;
};
inline std::string exponential_point(const Attributes& attributes, const Times& times,
                                     const Exponential& histogram) {
  ProtobufWriter out;
  write_common(out, 1, attributes, times);
  uint64_t count = histogram.zeros;
  const auto write_side = [&](uint64_t field, const Side& side) {
    ProtobufWriter message;
    message.integer(1, zigzag(static_cast<uint64_t>(int64_t{side.offset})));
    std::string packed;
    Writer writer(packed);
    for (const uint64_t one : side.counts) {
      writer.varint(one);
      count += one;
    }
    message.bytes(2, packed);
    out.bytes(field, message.text());
  };
  write_side(8, histogram.positive);
  write_side(9, histogram.negative);
  out.fixed(4, count);
  out.real(5, histogram.sum);
  out.integer(6, zigzag(static_cast<uint64_t>(int64_t{histogram.scale})));
  out.fixed(7, histogram.zeros);
  return out.text();
}

inline std::string summary_point(const Attributes& attributes, const Times& times, uint64_t count, double sum,
                                 const std::vector<std::pair<double, double>>& quantiles) {
  ProtobufWriter out;
  write_common(out, 7, attributes, times);
  out.fixed(4, count);
  out.real(5, sum);
  for (const auto& [quantile, value] : quantiles) {
    ProtobufWriter message;
    message.real(1, quantile);
    message.real(2, value);
    out.bytes(6, message.text());
  }
  return out.text();
}

// A metric whose data are the field of this number.
inline std::string metric(std::string_view name, uint64_t field, const std::vector<std::string>& points,
                          uint64_t temporality = 0, bool is_monotonic = false) {
  ProtobufWriter data;
  for (const std::string& point : points) data.bytes(1, point);
  if (temporality != 0) data.integer(2, temporality);
  if (is_monotonic) data.integer(3, 1);
  ProtobufWriter out;
  out.bytes(1, name);
  out.bytes(field, data.text());
  return out.text();
}
// The same metric with a description and a unit.
inline std::string described(const std::string& metric, std::string_view description, std::string_view unit) {
  ProtobufWriter out;
  out.bytes(2, description);
  out.bytes(3, unit);
  return metric + out.text();
}
inline std::string gauge(std::string_view name, const std::vector<std::string>& points) {
  return metric(name, 5, points);
}
inline std::string sum(std::string_view name, const std::vector<std::string>& points, uint64_t temporality,
                       bool is_monotonic = true) {
  return metric(name, 7, points, temporality, is_monotonic);
}
inline std::string histogram(std::string_view name, const std::vector<std::string>& points,
                             uint64_t temporality) {
  return metric(name, 9, points, temporality);
}
inline std::string exponential(std::string_view name, const std::vector<std::string>& points,
                               uint64_t temporality) {
  return metric(name, 10, points, temporality);
}
inline std::string summary(std::string_view name, const std::vector<std::string>& points) {
  return metric(name, 11, points);
}

// A request with one resource and one scope.
inline std::string request(const Attributes& resource, const std::vector<std::string>& metrics,
                           std::string_view scope = "test") {
  ProtobufWriter attributes;
  for (const auto& [key, value] : resource) attributes.bytes(1, key_value(key, value));
  ProtobufWriter scope_metrics;
  scope_metrics.bytes(1, inside(1, scope));
  for (const std::string& one : metrics) scope_metrics.bytes(2, one);
  ProtobufWriter out;
  out.bytes(1, attributes.text());
  out.bytes(2, scope_metrics.text());
  return inside(1, out.text());
}

}  // namespace statmill::otlp
