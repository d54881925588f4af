// LeafPlan: the tier, the slots and the windows of a leaf, for the series of one kind and retention class.
// Pure arithmetic.
#pragma once

#include <vector>

#include "base/clock.h"
#include "proto/sample.h"
#include "server/query/ops/window.h"
#include "server/query/read/column_reader.h"
#include "server/query/series_source.h"
#include "storage/tiers.h"

namespace statmill {

// How a function computes from the slots of a series.
enum class LeafForm : uint8_t {
  kBuckets,        // merges the buckets of a window
  kRunningTotals,  // of single samples that are totals since the series began: counters and events
  kSamples,        // of single samples, which are the means of slots
};
LeafForm leaf_form(LeafFunction function, Kind kind);

// Returns what the function needs of the buckets.
Parts leaf_parts(LeafFunction function, Kind kind);

// Returns whether all points of a series have the same value: its window is the same for all (@), and the
// function does not use the time of the point.
bool has_one_value(const LeafRequest& request);

struct LeafPlan {
  LeafForm form = LeafForm::kBuckets;
  Parts parts;
  SlotSpan span;
  std::vector<SlotWindow> windows;  // one per evaluated point: elements of `span`
  Grid grid;                        // the evaluated points: a single one if all have one value
  int64_t range_ms = 0;             // of the windows; at least one slot
  int64_t totals_ms = 0;            // the length of the slots whose totals events and counters have rates of
  std::vector<std::string> infos;   // what the user should know about the tier
};

// The finest tier is read unless a coarser one yields the same numbers, or the finest no longer has the
// range, or single samples are asked for over more than two days. So the choice depends on the query and on
// `now`, never on the number of series. The detail tier is read for a step of seconds that is not a multiple
// of the finest tier's. Requires: the grid has a point.
LeafPlan plan_leaf(const LeafRequest& request, Kind kind, const Tiers& tiers, Timestamp now);

}  // namespace statmill
