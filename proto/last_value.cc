#include "proto/last_value.h"

#include <tuple>

namespace statmill {

bool LastValue::operator==(const LastValue& other) const {
  const auto fields = [](const LastValue& v) {
    return std::tie(v.value, v.time_ms, v.start_ms, v.seen_s, v.is_counter, v.time_ns);
  };
  const bool has_same_histogram =
      histogram && other.histogram ? *histogram == *other.histogram : histogram == other.histogram;
  return name == other.name && fields(*this) == fields(other) && has_same_histogram;
}

}  // namespace statmill
