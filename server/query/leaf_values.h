// Leaf values: from the slots of one series to the values of a function at each point of a grid. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/leaf_plan.h"
#include "server/query/numbers.h"
#include "server/query/query_control.h"

namespace statmill {

// A series and what was read of it.
struct LeafSeries {
  Kind kind = Kind::kGauge;
  SeriesSlots slots;                             // of plan.span
  Bucket total_before;                           // in a series of running totals: all rates before the span
  std::optional<int64_t> end_ms = std::nullopt;  // the time from which on it has no newest slot
};

// For the series of one plan. The references must outlive it. Confined to one thread.
class LeafValues {
 public:
  LeafValues(const LeafRequest& request, const LeafPlan& plan, const Tiers& tiers, Timestamp now);

  // Returns numbers or histograms without labels, one per point of the request's grid; points without data
  // are absent. Errors: kInvalid if the function is not defined for the kind, or a parameter is out of range;
  // the control's reason to stop.
  Result<SeriesValues> of(LeafSeries series, const QueryControl& control) const;

 private:
  Result<SeriesValues> of_slots(LeafSeries series, const QueryControl& control) const;
  void remove_from(int64_t end_ms, Numbers& numbers) const;
  // of_samples() at each point of the grid.
  Result<SeriesValues> of_values(const std::vector<double>& values, const SlotColumns& slots,
                                 const QueryControl& control) const;
  // The evaluated points.
  Numbers merged(const SlotColumns& slots) const;
  Numbers newest(const SlotColumns& slots) const;
  Numbers event_totals(const SlotColumns& points) const;
  double rate_of(int64_t sum, int8_t scale, int64_t range_ms) const;
  Numbers event_rates(const SeriesSlots& slots) const;
  TimeRange range_of(const SlotColumns& slots, const SlotWindow& window) const;
  Histograms distributions(const SlotColumns& slots) const;
  Numbers quantiles(const SlotColumns& slots) const;
  Result<Numbers> of_samples(const std::vector<double>& values, const SlotColumns& slots,
                             const QueryControl& control) const;
  Numbers amounts(const SlotColumns& slots) const;
  std::vector<double> running_totals(const LeafSeries& series) const;
  std::vector<double> parameters_at(size_t point) const;
  // With @ one point stands for all.
  Numbers spread(Numbers numbers) const;
  Histograms spread(Histograms histograms) const;

  const LeafRequest& request_;
  const LeafPlan& plan_;
  const int64_t slot_ms_;                  // step of the tier that is read
  const int64_t finest_slot_ms_;           // step of the rates of events and counters
  const int64_t until_ms_;                 // rates_until_ms()
  const std::optional<uint32_t> sliding_;  // sliding_length(), for functions of the newest slot
};

}  // namespace statmill
