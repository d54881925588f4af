#include "proto/prometheus/remote_write.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

Status damaged(std::string_view part) {
  return Error{ErrorCode::kInvalid, "protobuf: a damaged " + std::string(part)};
}

FamilyType family_type(uint64_t number) {
  return number <= static_cast<uint64_t>(FamilyType::kStateSet) ? static_cast<FamilyType>(number)
                                                                : FamilyType::kUnknown;
}

// The labels of one series, up to the limit.
class Labels {
 public:
  void clear() { count_ = 0; }
  void add(LabelView label) {
    if (count_ < labels_.size()) labels_[count_] = label;
    ++count_;
  }
  std::span<const LabelView> all() const {
    return std::span(labels_).first(std::min(count_, labels_.size()));
  }
  void describe(RemoteSeries& series) const {
    series.has_all_labels = count_ <= labels_.size();
    series.labels = all();
  }

 private:
  std::array<LabelView, kRemoteLabelsMax> labels_;
  size_t count_ = 0;
};

bool read_sample(std::string_view bytes, RemoteSample& sample) {
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kFixed64)) sample.value = fields.real();
    if (fields.is(2, WireType::kVarint)) sample.time_ms = fields.signed_integer();
    if (fields.is(3, WireType::kVarint)) sample.start_ms = fields.signed_integer();  // 2.0 only
  }
  return !fields.failed();
}

bool read_label(std::string_view bytes, LabelView& label) {
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) label.name = fields.bytes();
    if (fields.is(2, WireType::kBytes)) label.value = fields.bytes();
  }
  return !fields.failed();
}

// Reads the labels at the begin of a series of 1.0 whose lengths take one byte each, as nearly all do:
//
//   0x0a size | 0x0a size name | 0x12 size value
//
// Returns where it stopped, which is no error: the general reader continues there.
size_t read_short_labels(std::string_view series, Labels& labels) {
  constexpr uint8_t kField1 = 0x0a;
  constexpr uint8_t kField2 = 0x12;
  constexpr size_t kHeads = 4;  // bytes of a label that are not its name or value
  constexpr uint8_t kShortSizeMax = 0x7f;
  size_t at = 0;
  while (series.size() - at >= 2 + kHeads) {
    const auto* const head = reinterpret_cast<const uint8_t*>(series.data()) + at;
    const size_t size = head[1];
    if (head[0] != kField1 || size < kHeads || size > kShortSizeMax || size > series.size() - at - 2) break;
    const size_t name_size = head[3];
    if (head[2] != kField1 || name_size > size - kHeads) break;
    const size_t value_size = size - kHeads - name_size;
    const uint8_t* const value_head = head + kHeads + name_size;
    if (value_head[0] != kField2 || value_head[1] != value_size) break;
    labels.add(
        {series.substr(at + kHeads, name_size), series.substr(at + size + 2 - value_size, value_size)});
    at += size + 2;
  }
  return at;
}

bool read_family(std::string_view bytes, RemoteFamily& family) {
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kVarint)) family.type = family_type(fields.integer());
    if (fields.is(2, WireType::kBytes)) family.name = fields.bytes();
    if (fields.is(4, WireType::kBytes)) family.help = fields.bytes();
    if (fields.is(5, WireType::kBytes)) family.unit = fields.bytes();
  }
  return !fields.failed();
}

// Passes on a sample. `start_ms` is for one without a start.
Status visit_sample(std::string_view bytes, int64_t start_ms, RemoteWriteVisitor& visitor) {
  RemoteSample sample;
  if (!read_sample(bytes, sample)) return damaged("sample");
  if (sample.start_ms == 0) sample.start_ms = start_ms;
  visitor.add_sample(sample);
  return Status::ok();
}

// Passes on the samples of a series that `describe` has read.
Status visit_samples(std::string_view series, int64_t start_ms, RemoteWriteVisitor& visitor) {
  for (ProtobufFields fields(series); fields.next();) {
    if (!fields.is(2, WireType::kBytes)) continue;
    if (Status s = visit_sample(fields.bytes(), start_ms, visitor); !s) return s;
  }
  return Status::ok();
}

// Passes on the native histograms of a series, which have this field.
Status visit_histograms(std::string_view series, uint64_t field, RemoteWriteVisitor& visitor) {
  NativeHistogram histogram;
  for (ProtobufFields fields(series); fields.next();) {
    if (!fields.is(field, WireType::kBytes)) continue;
    if (!read_native_histogram(fields.bytes(), histogram)) return damaged("histogram");
    visitor.add_histogram(histogram);
  }
  return Status::ok();
}

// Reads what exemplars of both versions have. `read_labels` reads field 1.
template <class ReadLabels>
Status visit_exemplar(std::string_view bytes, Labels& labels, RemoteWriteVisitor& visitor,
                      const ReadLabels& read_labels) {
  RemoteExemplar exemplar;
  labels.clear();
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (Status s = read_labels(fields); !s) return s;
    if (fields.is(2, WireType::kFixed64)) exemplar.value = fields.real();
    if (fields.is(3, WireType::kVarint)) exemplar.time_ms = fields.signed_integer();
  }
  if (fields.failed()) return damaged("exemplar");
  exemplar.labels = labels.all();
  visitor.add_exemplar(exemplar);
  return Status::ok();
}

Status visit_exemplars1(std::string_view series, Labels& labels, RemoteWriteVisitor& visitor) {
  for (ProtobufFields fields(series); fields.next();) {
    if (!fields.is(3, WireType::kBytes)) continue;
    const auto read_labels = [&](const ProtobufFields& exemplar) -> Status {
      LabelView label;
      if (!exemplar.is(1, WireType::kBytes)) return Status::ok();
      if (!read_label(exemplar.bytes(), label)) return damaged("label");
      labels.add(label);
      return Status::ok();
    };
    if (Status s = visit_exemplar(fields.bytes(), labels, visitor, read_labels); !s) return s;
  }
  return Status::ok();
}

Status visit_series1(std::string_view bytes, Labels& labels, RemoteWriteVisitor& visitor) {
  RemoteSeries series;
  labels.clear();
  bytes.remove_prefix(read_short_labels(bytes, labels));
  std::string_view last_sample;
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) {
      LabelView label;
      if (!read_label(fields.bytes(), label)) return damaged("label");
      labels.add(label);
    }
    if (fields.is(2, WireType::kBytes)) {
      last_sample = fields.bytes();
      ++series.samples;
    }
    if (fields.is(3, WireType::kBytes)) ++series.exemplars;
    if (fields.is(4, WireType::kBytes)) ++series.histograms;
  }
  if (fields.failed()) return damaged("series");
  labels.describe(series);
  visitor.begin_series(series);
  if (series.samples == 1) {
    if (Status s = visit_sample(last_sample, 0, visitor); !s) return s;
  } else {
    if (Status s = visit_samples(bytes, 0, visitor); !s) return s;
  }
  if (series.histograms > 0) {
    if (Status s = visit_histograms(bytes, 4, visitor); !s) return s;
  }
  return series.exemplars == 0 ? Status::ok() : visit_exemplars1(bytes, labels, visitor);
}

Status decode1(std::string_view message, RemoteWriteVisitor& visitor) {
  Labels labels;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) {
      if (Status s = visit_series1(fields.bytes(), labels, visitor); !s) return s;
    } else if (fields.is(3, WireType::kBytes)) {
      RemoteFamily family;
      if (!read_family(fields.bytes(), family)) return damaged("metadata");
      visitor.add_family(family);
    }
  }
  return fields.failed() ? damaged("request") : Status::ok();
}

using Symbols = std::vector<std::string_view>;

Result<Symbols> read_symbols(std::string_view message) {
  Symbols symbols;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (!fields.is(4, WireType::kBytes)) continue;
    if (symbols.size() == kRemoteSymbolsMax)
      return Error{ErrorCode::kLimit, "more than " + std::to_string(kRemoteSymbolsMax) + " symbols"};
    symbols.push_back(fields.bytes());
  }
  if (fields.failed()) return damaged("request").error();
  return symbols;
}

// Reads labels of 2.0: pairs of indices of symbols.
class LabelReader {
 public:
  LabelReader(const Symbols& symbols, Labels& labels) : symbols_(symbols), labels_(labels) {
    labels_.clear();
  }

  // Reads field 1 of a series or an exemplar, if it is this one.
  void read(const ProtobufFields& fields) {
    if (fields.is(1, WireType::kVarint)) add_reference(fields.integer());
    if (fields.is(1, WireType::kBytes)) add_references(fields.bytes());
  }
  std::string_view symbol(uint64_t reference) {
    if (reference < symbols_.size()) return symbols_[reference];
    has_fault_ = true;
    return {};
  }
  // Returns ok if all that was read are labels. `part`: of what.
  Status check(std::string_view part) const {
    if (has_fault_) return damaged(part);
    if (is_name_open_) return Error{ErrorCode::kInvalid, "protobuf: a label without a value"};
    return Status::ok();
  }

 private:
  void add_reference(uint64_t reference) {
    const std::string_view text = symbol(reference);
    if (is_name_open_) {
      labels_.add({name_, text});
    } else {
      name_ = text;
    }
    is_name_open_ = !is_name_open_;
  }
  void add_references(std::string_view packed) {
    Reader reader(packed);
    while (!reader.done()) add_reference(reader.varint());
    has_fault_ = has_fault_ || reader.failed();
  }

  const Symbols& symbols_;
  Labels& labels_;
  std::string_view name_;
  bool is_name_open_ = false;
  bool has_fault_ = false;
};

// Reads the fields of one series of 2.0.
class SeriesReader {
 public:
  SeriesReader(const Symbols& symbols, Labels& labels) : labels_(labels), reader_(symbols, labels) {}

  Status read(std::string_view bytes) {
    ProtobufFields fields(bytes);
    bool is_sound = true;
    while (fields.next()) {
      reader_.read(fields);
      if (fields.is(2, WireType::kBytes)) ++series_.samples;
      if (fields.is(3, WireType::kBytes)) ++series_.histograms;
      if (fields.is(4, WireType::kBytes)) ++series_.exemplars;
      if (fields.is(5, WireType::kBytes)) is_sound = read_metadata(fields.bytes()) && is_sound;
      if (fields.is(6, WireType::kVarint)) start_ms_ = fields.signed_integer();
    }
    if (fields.failed() || !is_sound) return damaged("series");
    if (Status s = reader_.check("series"); !s) return s;
    labels_.describe(series_);
    return Status::ok();
  }
  const RemoteSeries& series() const { return series_; }
  // Drafts of 2.0 have the time since when a counter counts here; the standard has it at each sample.
  int64_t start_ms() const { return start_ms_; }

 private:
  bool read_metadata(std::string_view bytes) {
    ProtobufFields fields(bytes);
    while (fields.next()) {
      if (fields.is(1, WireType::kVarint)) series_.type = family_type(fields.integer());
      if (fields.is(3, WireType::kVarint)) series_.help = reader_.symbol(fields.integer());
      if (fields.is(4, WireType::kVarint)) series_.unit = reader_.symbol(fields.integer());
    }
    return !fields.failed();
  }

  Labels& labels_;
  LabelReader reader_;
  RemoteSeries series_;
  int64_t start_ms_ = 0;
};

Status visit_exemplars2(std::string_view series, const Symbols& symbols, Labels& labels,
                        RemoteWriteVisitor& visitor) {
  for (ProtobufFields fields(series); fields.next();) {
    if (!fields.is(4, WireType::kBytes)) continue;
    LabelReader reader(symbols, labels);
    const auto read_labels = [&](const ProtobufFields& exemplar) {
      reader.read(exemplar);
      return Status::ok();
    };
    const std::string_view bytes = fields.bytes();
    if (Status s = visit_exemplar(bytes, labels, visitor, read_labels); !s) return s;
    if (Status s = reader.check("exemplar"); !s) return s;
  }
  return Status::ok();
}

Status decode2(std::string_view message, RemoteWriteVisitor& visitor) {
  const Result<Symbols> symbols = read_symbols(message);
  if (!symbols) return symbols.error();
  Labels labels;
  for (ProtobufFields fields(message); fields.next();) {
    if (!fields.is(5, WireType::kBytes)) continue;
    SeriesReader reader(*symbols, labels);
    if (Status s = reader.read(fields.bytes()); !s) return s;
    visitor.begin_series(reader.series());
    if (Status s = visit_samples(fields.bytes(), reader.start_ms(), visitor); !s) return s;
    if (reader.series().histograms > 0) {
      if (Status s = visit_histograms(fields.bytes(), 3, visitor); !s) return s;
    }
    if (reader.series().exemplars == 0) continue;
    if (Status s = visit_exemplars2(fields.bytes(), *symbols, labels, visitor); !s) return s;
  }
  return Status::ok();
}

}  // namespace

bool is_stale_marker(double value) { return std::bit_cast<uint64_t>(value) == kStaleMarkerBits; }

Status decode_remote_write(RemoteWriteVersion version, std::string_view message,
                           RemoteWriteVisitor& visitor) {
  return version == RemoteWriteVersion::k1 ? decode1(message, visitor) : decode2(message, visitor);
}

}  // namespace statmill
