// CounterSteps: the increments of cumulative counters, as remote_write makes them (docs/prometheus.md): the
// first value of a series adds 0, a lower one is that of a counter which began again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text_map.h"
#include "base/verdict.h"
#include "proto/number.h"
#include "proto/prometheus/family_type.h"
#include "proto/refusal.h"

namespace statmill {

// Returns whether the series with this __name__ is a cumulative counter: by the type of its family, or else
// as it is named: x_total, or x_bucket with a label `le`.
bool is_cumulative(std::string_view name, bool has_le, FamilyType type);

class CounterSteps {
 public:
  static constexpr size_t kSeriesMax = 2'000'000;  // about 300 MB with names of 60 bytes

  // Sets `step` to what the value adds to the series, or to nullopt if it adds nothing: it is not newer than
  // the last one. Refuses with kBadValue a negative value, with kSeriesLimit a series over the limit.
  Verdict<Refusal> count(std::string_view name, int64_t time_ms, const Number& value,
                         std::optional<Number>& step);

 private:
  struct Last {
    Number value;
    int64_t time_ms = 0;
  };
  TextMap<Last> last_;
  // That of the last sample.
  const std::string* last_name_ = nullptr;
  Last* last_value_ = nullptr;
};

}  // namespace statmill
