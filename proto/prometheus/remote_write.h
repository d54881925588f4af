// Decodes the messages of Prometheus' remote_write, without their compression:
//
//   1.0  prometheus.WriteRequest             labels as text; types of families in messages of their own
//   2.0  io.prometheus.write.v2.Request      labels as indices of a table of symbols; a type for each series
//
// Sources: prometheus.io/docs/specs/prw/remote_write_spec and _2_0, and the .proto files that they name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "proto/prometheus/family_type.h"
#include "proto/prometheus/labels_name.h"
#include "proto/prometheus/native_histogram.h"
#include "proto/prometheus/remote_labels.h"

namespace statmill {

enum class RemoteWriteVersion : uint8_t { k1, k2 };

// How many symbols a message may have: each costs 16 bytes while it is decoded.
inline constexpr size_t kRemoteSymbolsMax = size_t{1} << 20;

struct RemoteSeries {
  std::span<const LabelView> labels;  // as sent, unchecked; at most kRemoteLabelsMax
  bool has_all_labels = true;         // false: there are more
  FamilyType type = FamilyType::kUnknown;
  std::string_view help;  // 2.0 only, as `unit`
  std::string_view unit;
  uint64_t samples = 0;  // how many follow
  uint64_t exemplars = 0;
  uint64_t histograms = 0;  // native ones
};

struct RemoteSample {
  double value = 0;  // any bits
  int64_t time_ms = 0;
  int64_t start_ms = 0;  // since when a counter counts; 0: unknown
  bool operator==(const RemoteSample&) const = default;
};

struct RemoteExemplar {
  std::span<const LabelView> labels;  // as sent, unchecked; of more than kRemoteLabelsMax, only so many
  double value = 0;                   // any bits
  int64_t time_ms = 0;
};

// The value that says that a series has ended: a NaN that no arithmetic makes.
inline constexpr uint64_t kStaleMarkerBits = 0x7ff0'0000'0000'0002;
bool is_stale_marker(double value);

// What 1.0 says of a family.
struct RemoteFamily {
  std::string_view name;
  FamilyType type = FamilyType::kUnknown;
  std::string_view help;
  std::string_view unit;
};

// Receives a message part by part. All texts are views into the message.
class RemoteWriteVisitor {
 public:
  virtual ~RemoteWriteVisitor() = default;
  // A series; what its span views is valid until the next call.
  virtual void begin_series(const RemoteSeries& series) = 0;
  // The same for a series of 1.0 whose labels come first, as nearly all do. RemoteLabels::read() reads them;
  // `series` has none. Unless it is overridden, it reads them and calls begin_series(). Errors: kInvalid.
  virtual Status begin_series1(std::string_view labels, RemoteSeries series);
  // A sample of the series before, in the order of the message.
  virtual void add_sample(const RemoteSample& sample) = 0;
  // A native histogram of the series before, after its samples. It is valid during the call.
  virtual void add_histogram(const NativeHistogram& histogram) = 0;
  // An exemplar of the series before, after all of its samples; what its span views is valid until the next
  // call.
  virtual void add_exemplar(const RemoteExemplar& exemplar) = 0;
  virtual void add_family(const RemoteFamily& family) = 0;
};

// Errors: kInvalid (not such a message, a label that refers to no symbol), kLimit (kRemoteSymbolsMax). Parts
// before the error may have been passed on. Cost: linear in the bytes; memory only for the symbols, and for
// one histogram.
Status decode_remote_write(RemoteWriteVersion version, std::string_view message, RemoteWriteVisitor& visitor);

}  // namespace statmill
