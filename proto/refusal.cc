#include "proto/refusal.h"

#include <array>

namespace statmill {

std::string_view refusal_label(Refusal reason) {
  // In the order of the enum.
  constexpr auto kLabels = std::to_array<std::string_view>(
      {"field_count",   "bad_value",      "not_finite",    "out_of_range",  "bad_time",      "bad_bucket",
       "empty_name",    "name_too_long",  "bad_name",      "bad_tag",       "duplicate_tag", "tag_limit",
       "fan_out_limit", "bad_type",       "bad_rate",      "bad_extension", "unsupported",   "reserved",
       "bad_metadata",  "metadata_limit", "line_too_long", "unterminated",  "bad_pickle",    "wrong_protocol",
       "state_limit",   "too_old",        "too_new",       "series_limit",  "name_limit",    "sender_limit",
       "memory_limit",  "kind_mismatch",  "out_of_order",  "replica"});
  static_assert(kLabels.size() == kRefusalCount);
  return kLabels.at(static_cast<size_t>(reason));
}

}  // namespace statmill
