// The values of the naive evaluator: numbers of 113 bits, histograms as lists of samples, vectors and
// windows.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/query/naive/naive.h"

namespace statmill::naive {

__extension__ typedef __float128 Quad;

inline double rounded(Quad value) { return static_cast<double>(value); }
// mantissa / 10^scale, or the double.
Quad exact(const Number& number);

// The samples of a distribution, each with a weight: a rate divides the weights.
struct WeightedSample {
  Quad value;
  Quad weight;
};
using SampleList = std::vector<WeightedSample>;

using PointValue = std::variant<Quad, SampleList>;

struct Element {
  Labels labels;
  PointValue value;
};
using Vector = std::vector<Element>;

// The samples of one series in one slot. Slots of events exist in silence, too.
struct SampledSlot {
  Timestamp begin;
  std::vector<Quad> samples;
  Quad sum = 0;
  Quad total = 0;  // sum of all slots up to this one
};

// What a range selector or a subquery returns for one series. A point of a subquery has the time at which it
// was evaluated as its begin and its middle, and no slot.
struct WindowPoint {
  Timestamp begin;
  Timestamp middle;
  Quad value;  // the mean of the slot; of counters and events the running total
  const SampledSlot* slot = nullptr;
};
struct Window {
  Labels labels;
  std::optional<SeriesKind> kind;  // nullopt: a subquery
  Timestamp begin;                 // half-open; whole slots, unless it is a subquery
  Timestamp end;
  double seconds = 0;  // how much of it has passed
  std::vector<WindowPoint> points;

  bool is_counter() const { return kind == SeriesKind::kCounter || kind == SeriesKind::kEvent; }
};

inline double seconds_of(Duration duration) { return static_cast<double>(duration.count()) / 1000; }
inline double seconds_of(Timestamp time) { return seconds_of(time.time_since_epoch()); }

inline std::string value_or_empty(const Labels& labels, const std::string& label) {
  const auto found = labels.find(label);
  return found == labels.end() ? std::string() : found->second;
}
inline Labels without_name(Labels labels) {
  labels.erase(std::string(promql::kNameLabel));
  return labels;
}
// An empty value removes the label.
inline void set_label(Labels& labels, const std::string& label, const std::string& value) {
  if (value.empty()) {
    labels.erase(label);
  } else {
    labels[label] = value;
  }
}

}  // namespace statmill::naive
