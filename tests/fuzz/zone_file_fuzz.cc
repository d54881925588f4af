// Any bytes are refused as a file of a time zone, or are one whose offsets have names and are at most a day
// or so.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/zone_file.h"
#include "base/zone_rule.h"

namespace statmill {
namespace {

void check_zone(const Zone& zone) {
  for (const int64_t time_s : {INT64_MIN, int64_t{-2'000'000'000}, int64_t{0}, int64_t{1'711'846'800},
                               int64_t{2'147'483'648}, int64_t{33'000'000'000}, INT64_MAX}) {
    const ZoneOffset offset = zone(time_s);
    SM_CHECK(offset.east_s > -100'000 && offset.east_s < 100'000 && is_zone_name(offset.name));
  }
}

}  // namespace
}  // namespace statmill

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto zone = parse_zone_file(bytes)) check_zone(*zone);
  if (const auto rule = ZoneRule::parse(bytes)) {
    for (int64_t time_s = -60'000'000'000; time_s < 250'000'000'000; time_s += 31'556'952'000)
      SM_CHECK(is_zone_name(rule->at(time_s).name));
  }
  return 0;
}
