#include "proto/prometheus/remote_write.h"

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

void describe(const RemoteLabels& labels, RemoteSeries& series) {
  series.has_all_labels = labels.has_all();
  series.labels = labels.all();
}

// Reads a sample as Prometheus writes nearly all: 0x09, the value, 0x10, the time, and nothing else.
bool read_plain_sample(std::string_view bytes, RemoteSample& sample) {
  constexpr size_t kValueEnd = 9;
  if (bytes.size() <= kValueEnd + 1 || bytes[0] != 0x09 || bytes[kValueEnd] != 0x10) return false;
  Reader reader(bytes.substr(kValueEnd + 1));
  sample.value = std::bit_cast<double>(little_endian(bytes.substr(1, sizeof(double))));
  sample.time_ms = static_cast<int64_t>(reader.varint());
  return reader.done() && !reader.failed();
}

bool read_sample(std::string_view bytes, RemoteSample& sample) {
  if (read_plain_sample(bytes, sample)) return true;
  sample = {};
  ProtobufFields fields(bytes);
  while (fields.next()) {
    if (fields.is(1, WireType::kFixed64)) sample.value = fields.real();
    if (fields.is(2, WireType::kVarint)) sample.time_ms = fields.signed_integer();
    if (fields.is(3, WireType::kVarint)) sample.start_ms = fields.signed_integer();  // 2.0 only
  }
  return !fields.failed();
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
Status visit_exemplar(std::string_view bytes, RemoteLabels& labels, RemoteWriteVisitor& visitor,
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

Status visit_exemplars1(std::string_view series, RemoteLabels& labels, RemoteWriteVisitor& visitor) {
  for (ProtobufFields fields(series); fields.next();) {
    if (!fields.is(3, WireType::kBytes)) continue;
    const auto read_labels = [&](const ProtobufFields& exemplar) -> Status {
      LabelView label;
      if (!exemplar.is(1, WireType::kBytes)) return Status::ok();
      if (!read_remote_label(exemplar.bytes(), label)) return damaged("label");
      labels.add(label);
      return Status::ok();
    };
    if (Status s = visit_exemplar(fields.bytes(), labels, visitor, read_labels); !s) return s;
  }
  return Status::ok();
}

Status visit_series1(std::string_view bytes, RemoteLabels& labels, RemoteWriteVisitor& visitor) {
  RemoteSeries series;
  const std::string_view first_labels = bytes.substr(0, size_of_labels(bytes));
  const std::string_view rest = bytes.substr(first_labels.size());
  bool has_other_labels = false;
  std::string_view last_sample;
  ProtobufFields fields(rest);
  while (fields.next()) {
    if (fields.is(1, WireType::kBytes)) has_other_labels = true;
    if (fields.is(2, WireType::kBytes)) {
      last_sample = fields.bytes();
      ++series.samples;
    }
    if (fields.is(3, WireType::kBytes)) ++series.exemplars;
    if (fields.is(4, WireType::kBytes)) ++series.histograms;
  }
  if (fields.failed()) return damaged("series");
  if (!has_other_labels) {
    if (Status s = visitor.begin_series1(first_labels, series); !s) return s;
  } else {
    if (Status s = labels.read(bytes); !s) return s;
    describe(labels, series);
    visitor.begin_series(series);
  }
  if (series.samples == 1) {
    if (Status s = visit_sample(last_sample, 0, visitor); !s) return s;
  } else {
    if (Status s = visit_samples(rest, 0, visitor); !s) return s;
  }
  if (series.histograms > 0) {
    if (Status s = visit_histograms(rest, 4, visitor); !s) return s;
  }
  return series.exemplars == 0 ? Status::ok() : visit_exemplars1(rest, labels, visitor);
}

Status decode1(std::string_view message, RemoteWriteVisitor& visitor) {
  RemoteLabels labels;
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
  LabelReader(const Symbols& symbols, RemoteLabels& labels) : symbols_(symbols), labels_(labels) {
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
  RemoteLabels& labels_;
  std::string_view name_;
  bool is_name_open_ = false;
  bool has_fault_ = false;
};

// Reads the fields of one series of 2.0.
class SeriesReader {
 public:
  SeriesReader(const Symbols& symbols, RemoteLabels& labels) : labels_(labels), reader_(symbols, labels) {}

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
    describe(labels_, series_);
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

  RemoteLabels& labels_;
  LabelReader reader_;
  RemoteSeries series_;
  int64_t start_ms_ = 0;
};

Status visit_exemplars2(std::string_view series, const Symbols& symbols, RemoteLabels& labels,
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
  RemoteLabels labels;
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

Status RemoteWriteVisitor::begin_series1(std::string_view labels, RemoteSeries series) {
  RemoteLabels read;
  if (Status s = read.read(labels); !s) return s;
  describe(read, series);
  begin_series(series);
  return Status::ok();
}

Status decode_remote_write(RemoteWriteVersion version, std::string_view message,
                           RemoteWriteVisitor& visitor) {
  return version == RemoteWriteVersion::k1 ? decode1(message, visitor) : decode2(message, visitor);
}

}  // namespace statmill
