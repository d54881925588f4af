#include "server/query/leaf_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/quotient.h"
#include "server/query/ops/newest.h"
#include "server/query/ops/sample_functions.h"
#include "server/query/ops/special_values.h"

namespace statmill {
namespace {

double population_variance(const Bucket& bucket) { return bucket.m2() / static_cast<double>(bucket.count()); }

double bucket_value(LeafFunction function, const Bucket& bucket) {
  switch (function) {
    case LeafFunction::kMin:
      return bucket.min();
    case LeafFunction::kMax:
      return bucket.max();
    case LeafFunction::kSum:
      return bucket.sum();
    case LeafFunction::kCount:
      return static_cast<double>(bucket.count());
    case LeafFunction::kStddev:
      return std::sqrt(population_variance(bucket));
    case LeafFunction::kStdvar:
      return population_variance(bucket);
    default:
      return bucket.mean();
  }
}

// Returns the array whose integers are the values of the function, or nullptr if there is none.
const std::vector<int64_t>* integers_of(LeafFunction function, const SlotColumns& points) {
  switch (function) {
    case LeafFunction::kAvg:
    case LeafFunction::kInstant:
      return points.stored_means();
    case LeafFunction::kSum:
      return points.stored_sums();
    case LeafFunction::kMin:
      return points.stored_mins();
    case LeafFunction::kMax:
      return points.stored_maxs();
    default:
      return nullptr;
  }
}

// All present elements are 1.
Numbers ones(const Presence& present) {
  Numbers out = Numbers::of_decimals(present.size(), 0);
  out.present = present;
  for (size_t i = present.next(0); i < present.size(); i = present.next(i + 1)) out.integers[i] = 1;
  return out;
}

}  // namespace

LeafValues::LeafValues(const LeafRequest& request, const LeafPlan& plan, const Tiers& tiers, Timestamp now)
    : request_(request),
      plan_(plan),
      slot_ms_(tiers[plan.span.tier].step_s * 1000),
      finest_slot_ms_(plan.totals_ms),
      until_ms_(rates_until_ms(now, finest_slot_ms_)),
      sliding_(reads_newest(request.function) ? sliding_length(plan.windows) : std::nullopt) {}

Result<SeriesValues> LeafValues::of(LeafSeries series, const QueryControl& control) const {
  const auto end_ms = series.end_ms;
  auto out = of_slots(std::move(series), control);
  if (out && end_ms && reads_newest(request_.function)) remove_from(*end_ms, out->numbers);
  return out;
}

Result<SeriesValues> LeafValues::of_slots(LeafSeries series, const QueryControl& control) const {
  const LeafFunction function = request_.function;
  const bool is_rate = function == LeafFunction::kRate || function == LeafFunction::kIncrease;
  SeriesValues out;
  if (adds_up(series.kind) && function == LeafFunction::kResets) {
    return Error{ErrorCode::kInvalid, "resets: increments are kept, not values"};
  }
  if (adds_up(series.kind) && is_rate) {
    out.numbers = spread(event_rates(series.slots));
    return out;
  }
  SlotColumns& slots = series.slots.columns;
  if (const auto& open = series.slots.open) {
    const Slot slot = open->slot * finest_slot_ms_ / slot_ms_;
    if (slot >= slots.begin && slot < slots.end())
      slots.add(static_cast<size_t>(slot - slots.begin), open->rate, Combine::kMerge);
  }
  if (function == LeafFunction::kBuckets || (series.kind == Kind::kDistribution && is_rate)) {
    out.histograms = spread(distributions(slots));
  } else if (plan_.form == LeafForm::kRunningTotals) {
    if (function == LeafFunction::kChanges) {
      out.numbers = spread(amounts(slots));
      return out;
    }
    return of_values(running_totals(series), slots, control);
  } else if (plan_.form == LeafForm::kSamples) {
    std::vector<double> values(slots.size());
    for (size_t i = slots.present.next(0); i < slots.size(); i = slots.present.next(i + 1)) {
      const Bucket bucket = slots.bucket_at(i);
      values[i] = function == LeafFunction::kTimeOfMin   ? bucket.min()
                  : function == LeafFunction::kTimeOfMax ? bucket.max()
                                                         : bucket.mean();
    }
    return of_values(values, slots, control);
  } else if (function == LeafFunction::kQuantile) {
    out.numbers = spread(quantiles(slots));
  } else {
    out.numbers = spread(reads_newest(function) ? newest(slots) : merged(slots));
  }
  return out;
}

Result<SeriesValues> LeafValues::of_values(const std::vector<double>& values, const SlotColumns& slots,
                                           const QueryControl& control) const {
  auto numbers = of_samples(values, slots, control);
  if (!numbers) return numbers.error();
  SeriesValues out;
  out.numbers = spread(std::move(*numbers));
  return out;
}

// The function of the bucket of each window.
Numbers LeafValues::merged(const SlotColumns& slots) const {
  const SlotColumns points = merge_windows(slots, plan_.windows);
  if (request_.function == LeafFunction::kPresent) return ones(points.present);
  if (const auto* const integers = integers_of(request_.function, points)) {
    return {.present = points.present, .scale = points.scale, .integers = *integers, .reals = {}};
  }
  Numbers out = Numbers::of_reals(points.size());
  for (size_t i = points.present.next(0); i < points.size(); i = points.present.next(i + 1))
    out.set(i, bucket_value(request_.function, points.bucket_at(i)));
  return out;
}

// The newest present slot of each window.
Numbers LeafValues::newest(const SlotColumns& slots) const {
  if (request_.function == LeafFunction::kInstant) {
    if (const auto* const integers = integers_of(request_.function, slots))
      return newest_integers(slots.present, *integers, slots.scale, plan_.windows, sliding_);
    Numbers out = Numbers::of_reals(plan_.windows.size());
    for_each_newest(slots.present, plan_.windows,
                    [&](size_t w, size_t element) { out.set(w, slots.bucket_at(element).mean()); });
    return out;
  }
  const bool is_time = request_.function == LeafFunction::kTimestamp;
  Numbers out = Numbers::of_decimals(plan_.windows.size(), 0);
  for_each_newest(slots.present, plan_.windows, [&](size_t w, size_t element) {
    out.present.set(w);
    out.integers[w] = is_time ? (slots.begin + static_cast<Slot>(element)) * slot_ms_ / 1000 : 1;
  });
  return out;
}

TimeRange LeafValues::range_of(const SlotColumns& slots, const SlotWindow& window) const {
  return {(slots.begin + static_cast<Slot>(window.begin)) * slot_ms_,
          (slots.begin + static_cast<Slot>(window.end)) * slot_ms_};
}

// The events in each window, whose slots' rates are merged in `points`.
Numbers LeafValues::event_totals(const SlotColumns& points) const {
  const int64_t slot_s = finest_slot_ms_ / 1000;
  const auto reals = [&] {
    Numbers out = Numbers::of_reals(points.size());
    for (size_t i = points.present.next(0); i < points.size(); i = points.present.next(i + 1))
      out.set(i, points.bucket_at(i).sum_times(slot_s));
    return out;
  };
  if (points.is_mixed) return reals();
  const DecimalFactor by = cancel_tens(slot_s, points.scale);
  Numbers out = Numbers::of_decimals(points.size(), by.scale);
  out.present = points.present;
  for (size_t i = 0; i < points.size(); ++i) {
    if (__builtin_mul_overflow(points.sums[i], by.integer, &out.integers[i])) return reals();
  }
  return out;
}

// `sum`: of the rates of slots, as a decimal.
double LeafValues::rate_of(int64_t sum, int8_t scale, int64_t range_ms) const {
  return nearest_quotient(Int128{sum} * finest_slot_ms_,
                          static_cast<Uint128>(power_of_ten(scale)) * static_cast<Uint128>(range_ms));
}

// Events in the window, or their mean rate per second. Time that has not passed yet does not count.
Numbers LeafValues::event_rates(const SeriesSlots& slots) const {
  SlotColumns points = merge_windows(slots.columns, plan_.windows);
  std::vector<bool> has_open(points.size());
  int64_t missing_ms = 0;  // time until the open slot ends
  if (slots.open) {
    const int64_t open_ms = slots.open->slot * finest_slot_ms_;
    const Slot open_element = open_ms / slot_ms_ - slots.columns.begin;
    missing_ms = open_ms + finest_slot_ms_ - until_ms_;
    for (size_t i = 0; i < points.size(); ++i) {
      has_open[i] = plan_.windows[i].begin <= open_element && open_element < plan_.windows[i].end;
      if (has_open[i]) points.add(i, slots.open->rate, Combine::kMerge);
    }
  }
  if (request_.function == LeafFunction::kIncrease) return event_totals(points);
  Numbers out = Numbers::of_reals(points.size());
  for (size_t i = points.present.next(0); i < points.size(); i = points.present.next(i + 1)) {
    const int64_t slots_ms =
        static_cast<int64_t>(points.count_at(i)) * finest_slot_ms_ - (has_open[i] ? missing_ms : 0);
    const int64_t range_ms = passed_of(range_of(slots.columns, plan_.windows[i]), until_ms_, slots_ms);
    out.set(i, points.is_mixed ? rate_over(points.mixed[i], finest_slot_ms_, range_ms)
                               : rate_of(points.sums[i], points.scale, range_ms));
  }
  return out;
}

Histograms LeafValues::distributions(const SlotColumns& slots) const {
  SlotColumns points = merge_windows(slots, plan_.windows);
  Histograms out;
  out.histograms.resize(points.size());
  out.seconds.resize(points.size(), 1);
  if (request_.function == LeafFunction::kRate) {
    // Histograms of different seconds have no sum, so these are the same for all series of the window.
    for (size_t i = points.present.next(0); i < points.size(); i = points.present.next(i + 1)) {
      const TimeRange range = range_of(slots, plan_.windows[i]);
      const bool is_ahead = range.begin_ms >= until_ms_;
      const int64_t slots_ms = is_ahead ? range.end_ms - range.begin_ms : 0;
      out.seconds[i] = static_cast<double>(passed_of(range, until_ms_, slots_ms)) / 1000;
    }
  }
  for (size_t i = 0; i < points.size(); ++i) out.buckets.push_back(points.bucket_at(i));
  for (SlotHistogram& h : points.histograms)
    out.histograms[static_cast<size_t>(h.slot)] = std::move(h.histogram);
  return out;
}

Numbers LeafValues::quantiles(const SlotColumns& slots) const {
  const SlotColumns points = merge_windows(slots, plan_.windows);
  Numbers out = Numbers::of_reals(points.size());
  for (const SlotHistogram& h : points.histograms) {
    const auto i = static_cast<size_t>(h.slot);
    const Bucket bucket = points.bucket_at(i);
    if (bucket.is_empty()) continue;
    const double q = parameters_at(i).at(0);
    out.set(i, std::isnan(q) ? q
               : q < 0       ? -kInfinity
               : q > 1       ? kInfinity
                             : h.histogram.percentile(q, bucket.min(), bucket.max()));
  }
  return out;
}

// `values`: one per slot.
Result<Numbers> LeafValues::of_samples(const std::vector<double>& values, const SlotColumns& slots,
                                       const QueryControl& control) const {
  const LeafFunction function = request_.function;
  // Times that the answer shows are the beginnings of slots; slopes and rates are those of their middles.
  const bool shows_times = function == LeafFunction::kTimeOfFirst || function == LeafFunction::kTimeOfLast ||
                           function == LeafFunction::kTimeOfMin || function == LeafFunction::kTimeOfMax;
  std::vector<int64_t> times_ms;
  std::vector<double> samples;
  std::vector<uint32_t> first_sample(slots.size() + 1);  // at or after each slot
  for (size_t i = 0; i < slots.size(); ++i) {
    first_sample[i] = static_cast<uint32_t>(samples.size());
    if (!slots.present[i]) continue;
    times_ms.push_back((slots.begin + static_cast<Slot>(i)) * slot_ms_ + (shows_times ? 0 : slot_ms_ / 2));
    samples.push_back(values[i]);
  }
  first_sample[slots.size()] = static_cast<uint32_t>(samples.size());
  Numbers out = Numbers::of_reals(plan_.windows.size());
  WorkMeter meter(control);
  for (size_t p = 0; p < plan_.windows.size(); ++p) {
    const size_t begin = first_sample[plan_.windows[p].begin];
    const size_t count = first_sample[plan_.windows[p].end] - begin;
    if (count == 0) continue;
    if (Status status = meter.add(count); !status) return status.error();
    // A window has whole slots, so it may begin and end up to one slot later than the range of the query.
    const TimeRange range = range_of(slots, plan_.windows[p]);
    const SampleWindow window{std::span(times_ms).subspan(begin, count),
                              std::span(samples).subspan(begin, count), range.begin_ms, range.end_ms,
                              plan_.grid.at(p)};
    if (const auto value = sample_function(function, window, parameters_at(p))) out.set(p, *value);
  }
  return out;
}

// The number of slots with events in each window.
Numbers LeafValues::amounts(const SlotColumns& slots) const {
  Numbers out = Numbers::of_decimals(plan_.windows.size(), 0);
  std::vector<int64_t> before(slots.size() + 1);
  for (size_t i = 0; i < slots.size(); ++i)
    before[i + 1] = before[i] + (slots.present[i] && slots.bucket_at(i).sum() != 0 ? 1 : 0);
  for (size_t p = 0; p < plan_.windows.size(); ++p) {
    const SlotWindow& window = plan_.windows[p];
    if (!slots.present.any(window.begin, window.end)) continue;
    out.present.set(p);
    out.integers[p] = before[window.end] - before[window.begin];
  }
  return out;
}

// The events since the series began, at the end of each present slot.
std::vector<double> LeafValues::running_totals(const LeafSeries& series) const {
  const SlotColumns& slots = series.slots.columns;
  std::vector<double> out(slots.size());
  Bucket total = series.total_before;
  for (size_t i = slots.present.next(0); i < slots.size(); i = slots.present.next(i + 1)) {
    total.merge(slots.bucket_at(i));
    out[i] = total.sum_times(finest_slot_ms_ / 1000);
  }
  return out;
}

std::vector<double> LeafValues::parameters_at(size_t point) const {
  std::vector<double> out;
  out.reserve(request_.parameters.size());
  for (const Numbers& column : request_.parameters)
    out.push_back(column.present[point] ? column.value(point) : std::numeric_limits<double>::quiet_NaN());
  return out;
}

// Removes the points at the end of the series, and after it.
void LeafValues::remove_from(int64_t end_ms, Numbers& numbers) const {
  for (size_t i = numbers.present.next(0); i < numbers.size(); i = numbers.present.next(i + 1)) {
    if (request_.at_ms.value_or(request_.grid.at(i)) - request_.offset_ms >= end_ms) numbers.remove(i);
  }
}

Numbers LeafValues::spread(Numbers numbers) const {
  const size_t points = request_.grid.points();
  if (!has_one_value(request_) || points == 1) return numbers;
  Numbers out = numbers.is_real() ? Numbers::of_reals(points) : Numbers::of_decimals(points, numbers.scale);
  if (!numbers.present[0]) return out;
  out.present.reset(points, true);
  if (out.is_real()) {
    std::fill(out.reals.begin(), out.reals.end(), numbers.reals[0]);
  } else {
    std::fill(out.integers.begin(), out.integers.end(), numbers.integers[0]);
  }
  return out;
}

Histograms LeafValues::spread(Histograms histograms) const {
  const size_t points = request_.grid.points();
  if (!has_one_value(request_) || points == 1) return histograms;
  return {std::vector<Bucket>(points, histograms.buckets[0]),
          std::vector<SparseHistogram>(points, histograms.histograms[0]),
          std::vector<double>(points, histograms.seconds[0])};
}

}  // namespace statmill
