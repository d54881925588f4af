// NativeHistogramMessage: writes a native histogram as remote_write sends it (prometheus.Histogram).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "proto/protobuf_writer.h"

namespace statmill {

struct NativeHistogramMessage {
  uint64_t count = 0;
  double sum = 0;
  int64_t schema = 0;
  double zero_threshold = 0;
  uint64_t zeros = 0;
  std::vector<std::pair<int64_t, uint64_t>> negative_spans = {};  // offset, length
  std::vector<int64_t> negative_deltas = {};
  std::vector<std::pair<int64_t, uint64_t>> positive_spans = {};
  std::vector<int64_t> positive_deltas = {};
  std::vector<double> positive_counts = {};  // in place of deltas
  uint64_t hint = 0;
  int64_t time_ms = 0;
  std::vector<double> bounds = {};
  int64_t start_ms = 0;

  std::string text() const {
    ProtobufWriter out;
    if (positive_counts.empty()) {
      out.integer(1, count);
    } else {
      out.real(2, static_cast<double>(count));
    }
    out.real(3, sum);
    out.integer(4, zigzag(static_cast<uint64_t>(schema)));
    out.real(5, zero_threshold);
    if (zeros > 0) out.integer(6, zeros);
    for (const auto& span : negative_spans) out.bytes(8, span_text(span));
    if (!negative_deltas.empty()) out.bytes(9, packed(negative_deltas));
    for (const auto& span : positive_spans) out.bytes(11, span_text(span));
    if (!positive_deltas.empty()) out.bytes(12, packed(positive_deltas));
    for (const double real : positive_counts) out.real(13, real);
    if (hint != 0) out.integer(14, hint);
    out.integer(15, static_cast<uint64_t>(time_ms));
    for (const double bound : bounds) out.real(16, bound);
    if (start_ms != 0) out.integer(17, static_cast<uint64_t>(start_ms));
    return out.text();
  }

 private:
  static std::string span_text(const std::pair<int64_t, uint64_t>& span) {
    ProtobufWriter out;
    out.integer(1, zigzag(static_cast<uint64_t>(span.first)));
    out.integer(2, span.second);
    return out.text();
  }
  static std::string packed(const std::vector<int64_t>& deltas) {
    std::string out;
    Writer writer(out);
    for (const int64_t delta : deltas) writer.svarint(delta);
    return out;
  }
};

}  // namespace statmill
