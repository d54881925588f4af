// Writes the messages of remote_write, as a sender does: 1.0 and 2.0, uncompressed.
#pragma once

#include <snappy.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "proto/prometheus/remote_write.h"
#include "proto/protobuf_writer.h"

namespace statmill {

struct SentExemplar {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
  int64_t time_ms = 0;
  bool operator==(const SentExemplar&) const = default;
};
struct SentSeries {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<RemoteSample> samples;
  FamilyType type = FamilyType::kUnknown;  // of 2.0
  std::vector<SentExemplar> exemplars = {};
  uint64_t histograms = 0;
  std::vector<std::string> native = {};  // further histograms, as NativeHistogramMessage writes them
};
struct SentFamily {
  std::string name;
  FamilyType type = FamilyType::kUnknown;
  std::string help;
};

inline std::string sample_message(const RemoteSample& sample) {
  ProtobufWriter out;
  out.real(1, sample.value);
  out.integer(2, static_cast<uint64_t>(sample.time_ms));
  if (sample.start_ms != 0) out.integer(3, static_cast<uint64_t>(sample.start_ms));
  return out.text();
}

inline std::string label_message(const std::string& name, const std::string& value) {
  ProtobufWriter label;
  label.bytes(1, name);
  label.bytes(2, value);
  return label.text();
}
// What exemplars of both versions have after their labels.
inline std::string exemplar_message(const SentExemplar& exemplar) {
  ProtobufWriter out;
  out.real(2, exemplar.value);
  out.integer(3, static_cast<uint64_t>(exemplar.time_ms));
  return out.text();
}

// Returns a prometheus.WriteRequest.
inline std::string write_request1(const std::vector<SentSeries>& all,
                                  const std::vector<SentFamily>& families = {}) {
  ProtobufWriter out;
  for (const SentSeries& series : all) {
    ProtobufWriter message;
    for (const auto& [name, value] : series.labels) message.bytes(1, label_message(name, value));
    for (const RemoteSample& sample : series.samples) message.bytes(2, sample_message(sample));
    for (const SentExemplar& exemplar : series.exemplars) {
      ProtobufWriter part;
      for (const auto& [name, value] : exemplar.labels) part.bytes(1, label_message(name, value));
      message.bytes(3, part.text() + exemplar_message(exemplar));
    }
    for (uint64_t i = 0; i < series.histograms; ++i) message.bytes(4, {});
    for (const std::string& native : series.native) message.bytes(4, native);
    out.bytes(1, message.text());
  }
  for (const SentFamily& family : families) {
    ProtobufWriter message;
    message.integer(1, static_cast<uint64_t>(family.type));
    message.bytes(2, family.name);
    message.bytes(4, family.help);
    out.bytes(3, message.text());
  }
  return out.text();
}

// Returns an io.prometheus.write.v2.Request.
inline std::string write_request2(const std::vector<SentSeries>& all) {
  std::vector<std::string> symbols = {""};
  std::map<std::string, uint64_t> known = {{"", 0}};
  const auto symbol = [&](const std::string& text) {
    const auto [at, is_new] = known.try_emplace(text, symbols.size());
    if (is_new) symbols.push_back(text);
    return at->second;
  };
  const auto references = [&](const std::vector<std::pair<std::string, std::string>>& labels) {
    std::string out;
    Writer packed(out);
    for (const auto& [name, value] : labels) {
      packed.varint(symbol(name));
      packed.varint(symbol(value));
    }
    return out;
  };
  ProtobufWriter series_part;
  for (const SentSeries& series : all) {
    ProtobufWriter message;
    message.bytes(1, references(series.labels));
    for (const RemoteSample& sample : series.samples) message.bytes(2, sample_message(sample));
    for (uint64_t i = 0; i < series.histograms; ++i) message.bytes(3, {});
    for (const std::string& native : series.native) message.bytes(3, native);
    for (const SentExemplar& exemplar : series.exemplars) {
      ProtobufWriter part;
      part.bytes(1, references(exemplar.labels));
      message.bytes(4, part.text() + exemplar_message(exemplar));
    }
    ProtobufWriter metadata;
    metadata.integer(1, static_cast<uint64_t>(series.type));
    message.bytes(5, metadata.text());
    series_part.bytes(5, message.text());
  }
  ProtobufWriter out;
  for (const std::string& text : symbols) out.bytes(4, text);
  return out.text() + series_part.text();
}

inline std::string snappy_block(const std::string& message) {
  std::string out;
  snappy::Compress(message.data(), message.size(), &out);
  return out;
}

}  // namespace statmill
