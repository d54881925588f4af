#include "server/query/series_source.h"

#include <array>
#include <cstddef>

namespace statmill {

std::string_view leaf_function_name(LeafFunction function) {
  constexpr std::array<std::string_view, 30> kNames = {
      "instant",
      "timestamp",
      "presence",
      "avg_over_time",
      "min_over_time",
      "max_over_time",
      "sum_over_time",
      "count_over_time",
      "stddev_over_time",
      "stdvar_over_time",
      "present_over_time",
      "buckets_over_time",
      "increase",
      "rate",
      "delta",
      "irate",
      "idelta",
      "first_over_time",
      "last_over_time",
      "ts_of_first_over_time",
      "ts_of_last_over_time",
      "ts_of_min_over_time",
      "ts_of_max_over_time",
      "changes",
      "resets",
      "deriv",
      "predict_linear",
      "double_exponential_smoothing",
      "quantile_over_time",
      "mad_over_time",
  };
  return kNames[static_cast<size_t>(function)];
}

}  // namespace statmill
