// The reference that PromQL over slots is tested with: it computes a query from the single samples, one time
// of the answer after the other, in the plainest way that is right.
//
// It has nothing in common with the engine but the parser. Sums and means are computed with 113 bits, so a
// number that decimals determine is the nearest double. What it leaves out: coarser tiers (every answer is
// that of the finest slots), the labels `__graphite__` and `__n000__`, the order of sort_by_label, and
// limits.
//
// Where the language says one thing and slots leave a choice:
// - A window of a rate has whole slots, so [15s] is divided by 20 s; of a slot under way counts what has
// passed, at least 1 s. A slot that has not begun counts if it has samples: the divisor is the time that has
// passed, or that of the slots with samples if it is longer. The divisor of distributions is the time that
// has passed, or the whole window if none has.
// - Gauges in rates, `deriv`, `predict_linear`: samples lie in the middle of their slots, and the range is
// that of
//   the window's whole slots.
// - `changes` of counters and events is the number of slots with an amount, the first of the window included.
// - `ts_of_min_over_time` and `ts_of_max_over_time` are the newest of several slots.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "proto/number.h"
#include "server/promql/ast.h"

namespace statmill::naive {

using Labels = std::map<std::string, std::string>;  // with __name__; no value is empty

enum class SeriesKind : uint8_t { kGauge, kEvent, kCounter, kDistribution };

struct TimedNumber {
  Timestamp time;
  Number value;
};

struct SampledSeries {
  Labels labels;
  SeriesKind kind = SeriesKind::kGauge;
  std::vector<TimedNumber> samples;  // in any order
};

struct Setting {
  // Events are silent, not absent, until the slot of this time. If a series `host.up` has the
  // same `host`, only where it has samples; the slot of this time also if the one before has some.
  Timestamp now;
  Duration slot = std::chrono::seconds(10);
  Duration lookback = std::chrono::minutes(5);
  Duration subquery_step = std::chrono::minutes(1);  // the step of a subquery that names none
};

// The times of an answer: start, start + step, ... up to and including end. Requires: step > 0.
struct Grid {
  Timestamp start;
  Timestamp end;
  Duration step = std::chrono::seconds(10);
};

struct AnswerRow {
  Labels labels;
  std::vector<std::optional<double>> points;  // one per time of the grid
};

// A scalar is one row without labels. Rows are in the order of their first point.
using Answer = std::vector<AnswerRow>;

// Errors: kInvalid for what PromQL refuses when it computes (a match of many to many, two rows with the same
// labels); kUnavailable for what statmill refuses, and for histograms and strings as the answer.
Result<Answer> evaluate(const promql::SyntaxTree& tree, const std::vector<SampledSeries>& series,
                        const Grid& grid, const Setting& setting);

// How near two numbers must be: within `relative` of the greater one, or within `absolute`.
struct Nearness {
  double relative = 1e-9;
  double absolute = 1e-12;
};

// Compares two answers, in any order of rows; rows without a point do not count. Returns the first difference
// in words.
std::optional<std::string> difference(const Answer& want, const Answer& got, const Nearness& nearness);

std::string text_of(const Labels& labels);

}  // namespace statmill::naive
