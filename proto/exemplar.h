// Exemplar: one observation of a series with a few labels, mostly the id of a trace, which lead from a point
// of a chart to what happened there.
//
// Its labels travel and are stored as a text of
//
//   per label, ascending by name: length varint, name, length varint, value
//
// An exemplar is no sample: the samples of the same sender have its value already.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/label_view.h"

namespace statmill {

// All names and values of an exemplar together have at most so many characters, as in OpenMetrics 1.0. A
// character has at most 4 bytes.
inline constexpr size_t kExemplarCharactersMax = 128;
// An encoded text of labels is not longer: each label has at least one character.
inline constexpr size_t kExemplarLabelBytesMax = kExemplarCharactersMax * 6;

struct Exemplar {
  std::string_view series;   // its canonical name
  int64_t time_ms = 0;       // since 1970
  bool has_own_time = true;  // false: it came without a time, and has that of its sample
  double value = 0;          // finite
  std::string_view labels;   // encoded
};

// Why an exemplar is not kept. The labels of the counter never change.
enum class ExemplarRefusal : uint8_t {
  kBadForm,  // no exemplar, or labels that are no text, or have one name twice
  kLabels,   // more than kExemplarCharactersMax
  kValue,    // not a finite number
  kTime,     // too far ahead, or older than the finest tier keeps
  kSeries,   // no such series
  kLimit,    // --limits.exemplars
};
inline constexpr size_t kExemplarRefusalCount = 6;
std::string_view exemplar_refusal_label(ExemplarRefusal reason);

struct EncodedLabels {
  std::string text;
  std::optional<ExemplarRefusal> refusal;  // kBadForm or kLabels; then the text is empty
};
// Labels without a value are left out: it means the same. The names may come in any order.
EncodedLabels encode_exemplar_labels(std::span<const LabelView> labels);

// Returns the labels as views of the text; nullopt if it is none that encode_exemplar_labels() returns.
std::optional<std::vector<LabelView>> decode_exemplar_labels(std::string_view text);

}  // namespace statmill
