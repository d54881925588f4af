#include "proto/prometheus/metric_families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/text.h"
#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

// MetricType.
enum class ClientType : uint64_t {
  kCounter = 0,
  kGauge = 1,
  kSummary = 2,
  kUntyped = 3,
  kHistogram = 4,
  kGaugeHistogram = 5,
};

Error damaged() { return {ErrorCode::kInvalid, "protobuf: a damaged MetricFamily"}; }

std::string_view type_text(ClientType type) {
  switch (type) {
    case ClientType::kCounter:
      return "counter";
    case ClientType::kGauge:
      return "gauge";
    case ClientType::kSummary:
      return "summary";
    case ClientType::kHistogram:
      return "histogram";
    case ClientType::kGaugeHistogram:
      return "gaugehistogram";
    default:
      return "untyped";
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '\\' || c == '"') out.push_back('\\');
    c == '\n' ? out.append("\\n") : out.append(1, c);
  }
  out.push_back('"');
}

void append_value(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    append_number(out, value);
  }
}

// The unix time of a google.protobuf.Timestamp in seconds, with three decimals; nullopt if it is damaged,
// impossible or before 1970.
std::optional<std::string> seconds_of(std::string_view timestamp) {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  ProtobufFields fields(timestamp);
  while (fields.next()) {
    if (fields.is(1, WireType::kVarint)) seconds = fields.signed_integer();
    if (fields.is(2, WireType::kVarint)) nanoseconds = fields.signed_integer();
  }
  constexpr int64_t kSecondsMax = 1'000'000'000'000;  // in 30,000 years
  if (fields.failed() || seconds < 0 || seconds > kSecondsMax || nanoseconds < 0 ||
      nanoseconds >= 1'000'000'000)
    return std::nullopt;
  const std::string thousandths = std::to_string(1000 + nanoseconds / 1'000'000);
  return std::to_string(seconds) + "." + thousandths.substr(1);
}

// The first field of this number and type; nullopt without one, or if the message is damaged before it.
std::optional<ProtobufFields> find(std::string_view message, uint64_t number, WireType type) {
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is(number, type)) return fields;
  }
  return std::nullopt;
}

// Writes the samples of one family.
class FamilyText {
 public:
  FamilyText(std::string& out, size_t bytes_max) : out_(out), bytes_max_(bytes_max) {}

  Status write(std::string_view message) {
    std::string_view help;
    ProtobufFields fields(message);
    while (fields.next()) {
      if (fields.is(1, WireType::kBytes)) name_ = fields.bytes();
      if (fields.is(2, WireType::kBytes)) help = fields.bytes();
      if (fields.is(3, WireType::kVarint)) type_ = static_cast<ClientType>(fields.integer());
    }
    if (fields.failed()) return damaged();
    write_head(help);
    for (ProtobufFields metrics(message); metrics.next();) {
      if (!metrics.is(4, WireType::kBytes)) continue;
      if (Status written = write_metric(metrics.bytes()); !written) return written;
    }
    return check_size();
  }

 private:
  void write_head(std::string_view help) {
    if (!help.empty()) {
      append_quoted(out_.append("# HELP "), name_);
      out_.push_back(' ');
      for (const char c : help) {
        if (c == '\\') out_.push_back('\\');
        c == '\n' ? out_.append("\\n") : out_.append(1, c);
      }
      out_.push_back('\n');
    }
    append_quoted(out_.append("# TYPE "), name_);
    out_.append(" ").append(type_text(type_)).append("\n");
  }

  Status write_metric(std::string_view metric) {
    labels_.clear();
    time_.clear();
    ProtobufFields fields(metric);
    while (fields.next()) {
      if (fields.is(1, WireType::kBytes) && !add_label(fields.bytes(), labels_)) return damaged();
      if (fields.is(6, WireType::kVarint)) time_ = " " + std::to_string(fields.signed_integer());
    }
    if (fields.failed()) return damaged();
    switch (type_) {
      case ClientType::kCounter:
        return write_value(metric, 3, 2);
      case ClientType::kGauge:
        return write_value(metric, 2);
      case ClientType::kSummary:
        return write_summary(metric);
      case ClientType::kHistogram:
      case ClientType::kGaugeHistogram:
        return write_histogram(metric);
      default:
        return write_value(metric, 5);
    }
  }

  static bool add_label(std::string_view pair, std::string& labels) {
    std::string_view name;
    std::string_view value;
    ProtobufFields fields(pair);
    while (fields.next()) {
      if (fields.is(1, WireType::kBytes)) name = fields.bytes();
      if (fields.is(2, WireType::kBytes)) value = fields.bytes();
    }
    append_quoted(labels.append(","), name);
    append_quoted(labels.append("="), value);
    return !fields.failed();
  }

  // Returns the text of an exemplar, with a blank before it; nullopt if it is damaged.
  static std::optional<std::string> exemplar_text(std::string_view exemplar) {
    std::string labels;
    std::string_view timestamp;
    double value = 0;
    ProtobufFields fields(exemplar);
    while (fields.next()) {
      if (fields.is(1, WireType::kBytes) && !add_label(fields.bytes(), labels)) return std::nullopt;
      if (labels.size() > kExemplarTextBytesMax) return std::string(kUnreadableExemplar);
      if (fields.is(2, WireType::kFixed64)) value = fields.real();
      if (fields.is(3, WireType::kBytes)) timestamp = fields.bytes();
    }
    if (fields.failed()) return std::nullopt;
    std::string out = " # {" + labels.substr(std::min<size_t>(1, labels.size())) + "} ";
    append_value(out, value);
    if (timestamp.empty()) return out;
    const auto seconds = seconds_of(timestamp);
    if (!seconds) return std::string(kUnreadableExemplar);
    return out + " " + *seconds;
  }

  // Only counters have a field of an exemplar; 0 is none.
  Status write_value(std::string_view metric, uint64_t field, uint64_t exemplar_field = 0) {
    const auto part = find(metric, field, WireType::kBytes);
    if (!part) return no_value();
    ProtobufFields fields(part->bytes());
    double value = 0;
    std::optional<std::string> exemplar = std::string();
    while (exemplar && fields.next()) {
      if (fields.is(1, WireType::kFixed64)) value = fields.real();
      if (fields.is(exemplar_field, WireType::kBytes)) exemplar = exemplar_text(fields.bytes());
    }
    if (fields.failed() || !exemplar) return damaged();
    return write_line({}, {}, value, *exemplar);
  }

  Status write_summary(std::string_view metric) {
    const auto part = find(metric, 4, WireType::kBytes);
    if (!part) return no_value();
    double count = 0;
    double sum = 0;
    ProtobufFields fields(part->bytes());
    while (fields.next()) {
      if (fields.is(1, WireType::kVarint)) count = static_cast<double>(fields.integer());
      if (fields.is(2, WireType::kFixed64)) sum = fields.real();
      if (!fields.is(3, WireType::kBytes)) continue;
      double quantile = 0;
      double value = 0;
      ProtobufFields inner(fields.bytes());
      while (inner.next()) {
        if (inner.is(1, WireType::kFixed64)) quantile = inner.real();
        if (inner.is(2, WireType::kFixed64)) value = inner.real();
      }
      if (inner.failed()) return damaged();
      if (Status written = write_line({}, bound("quantile", quantile), value); !written) return written;
    }
    return fields.failed() ? Status(damaged()) : write_count_and_sum(count, sum);
  }

  Status write_histogram(std::string_view metric) {
    const auto part = find(metric, 7, WireType::kBytes);
    if (!part) return no_value();
    std::optional<double> count;
    std::optional<double> real_count;
    double sum = 0;
    bool has_buckets = false;
    bool has_last = false;
    bool is_native = false;
    ProtobufFields fields(part->bytes());
    while (fields.next()) {
      if (fields.is(1, WireType::kVarint)) count = static_cast<double>(fields.integer());
      if (fields.is(2, WireType::kFixed64)) sum = fields.real();
      if (fields.is(4, WireType::kFixed64)) real_count = fields.real();
      // The spans of negative and positive buckets; a schema alone is one without observations yet.
      if (fields.is(5, WireType::kVarint) || fields.is(9, WireType::kBytes) ||
          fields.is(12, WireType::kBytes))
        is_native = true;
      if (!fields.is(3, WireType::kBytes)) continue;
      has_buckets = true;
      double upper = 0;
      if (Status written = write_bucket(fields.bytes(), upper); !written) return written;
      has_last = has_last || upper == std::numeric_limits<double>::infinity();
    }
    if (fields.failed()) return damaged();
    if (is_native && !has_buckets)
      return Error{ErrorCode::kInvalid, "a native histogram without classic buckets is not stored"};
    const double all = real_count.value_or(count.value_or(0));
    if (!has_last) {
      const double infinity = std::numeric_limits<double>::infinity();
      if (Status written = write_line("_bucket", bound("le", infinity), all); !written) return written;
    }
    return write_count_and_sum(all, sum);
  }

  Status write_bucket(std::string_view bucket, double& upper) {
    double count = 0;
    std::optional<std::string> exemplar = std::string();
    ProtobufFields fields(bucket);
    while (exemplar && fields.next()) {
      if (fields.is(1, WireType::kVarint)) count = static_cast<double>(fields.integer());
      if (fields.is(2, WireType::kFixed64)) upper = fields.real();
      if (fields.is(3, WireType::kBytes)) exemplar = exemplar_text(fields.bytes());
      if (fields.is(4, WireType::kFixed64)) count = fields.real();
    }
    if (fields.failed() || !exemplar) return damaged();
    return write_line("_bucket", bound("le", upper), count, *exemplar);
  }

  Status write_count_and_sum(double count, double sum) {
    const bool is_gauge = type_ == ClientType::kGaugeHistogram;
    if (Status written = write_line(is_gauge ? "_gsum" : "_sum", {}, sum); !written) return written;
    return write_line(is_gauge ? "_gcount" : "_count", {}, count);
  }

  static std::string bound(std::string_view label, double value) {
    std::string out = ",\"" + std::string(label) + "\"=\"";
    append_value(out, value);
    return out + "\"";
  }

  // {"name_suffix","label"="value",...} value [time] [# {"label"="value",...} value [time]]
  Status write_line(std::string_view suffix, std::string_view label, double value,
                    std::string_view exemplar = {}) {
    out_.push_back('{');
    append_quoted(out_, std::string(name_).append(suffix));
    out_.append(labels_).append(label).append("} ");
    append_value(out_, value);
    out_.append(time_).append(exemplar).append("\n");
    return check_size();
  }

  Status check_size() const {
    if (out_.size() <= bytes_max_) return Status::ok();
    return Error{ErrorCode::kLimit, "the body has over " + std::to_string(bytes_max_) + " bytes as text"};
  }
  // As text, the labels that an exemplar may have at most (proto/exemplar.h) are shorter.
  static constexpr size_t kExemplarTextBytesMax = 4096;
  static constexpr std::string_view kUnreadableExemplar = " # {";

  static Status no_value() {
    return Error{ErrorCode::kInvalid, "a metric without a value of its family's type"};
  }

  std::string& out_;
  const size_t bytes_max_;
  std::string_view name_;
  ClientType type_ = ClientType::kCounter;
  std::string labels_;  // each with a comma before it
  std::string time_;    // " 1700000000000", or empty
};

}  // namespace

Result<std::string> text_of_metric_families(std::string_view messages, size_t bytes_max) {
  std::string out;
  Reader reader(messages);
  while (!reader.done()) {
    const std::string_view message = reader.bytes(reader.varint());
    if (reader.failed()) return damaged();
    if (Status written = FamilyText(out, bytes_max).write(message); !written) return written.error();
  }
  return out;
}

}  // namespace statmill
