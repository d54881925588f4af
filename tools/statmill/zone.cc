#include "tools/statmill/zone.h"

#include <ctime>

namespace statmill {
namespace {

ZoneOffset local_offset(int64_t unix_s) {
  const std::time_t time = unix_s;
  tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return {};
  return {static_cast<int32_t>(parts.tm_gmtoff), parts.tm_zone};
}

}  // namespace

Zone system_zone() {
  ::tzset();
  return local_offset;
}

}  // namespace statmill
