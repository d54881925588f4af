// What istatd's clients send is refused with a reason, or is within the limits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/documents/setting_routes.h"
#include "server/istatd/counter_query.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto counters = istatd::parse_counters_query(text);
  if (counters) {
    SM_CHECK(counters->keys.size() <= istatd::kCounterKeysMax);
    const istatd::AskedRange asked = istatd::with_defaults(counters->range, 1'700'000'000);
    const istatd::CounterRange range = istatd::counter_range(asked, 10);
    SM_CHECK(range.start_s <= asked.start_s && range.end_s >= asked.end_s && range.interval_s >= 10);
  }
  if (const auto settings = parse_settings(text)) {
    for (const auto& [key, value] : *settings) static_cast<void>(check_setting_key(key));
  }
  if (const auto url = parse_url("/a?" + std::string(text))) {
    if (const auto counter = istatd::parse_counter_query(*url))
      SM_CHECK(counter->range.start_s >= 0 && counter->range.end_s <= istatd::kTimeMax_s);
  }
  return 0;
}
