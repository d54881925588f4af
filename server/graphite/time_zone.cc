#include "server/graphite/time_zone.h"

#include <cstdint>
#include <optional>
#include <string>

#include "base/number_text.h"
#include "base/zone_file.h"
#include "server/http/ignoring_case.h"

namespace statmill::graphite {
namespace {

// Hours and minutes with a sign, with or without a colon: -0530. Returns seconds.
std::optional<int32_t> offset_of(std::string_view text) {
  const bool is_west = text.starts_with('-');
  if (!is_west && !text.starts_with('+')) return std::nullopt;
  std::string digits;
  for (const char c : text.substr(1)) {
    if (c != ':') digits += c;
  }
  if (digits.size() != 4 || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const auto hours = parse_as<int32_t>(std::string_view(digits).substr(0, 2));
  const auto minutes = parse_as<int32_t>(std::string_view(digits).substr(2));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const int32_t seconds = *hours * 3600 + *minutes * 60;
  return is_west ? -seconds : seconds;
}

}  // namespace

Result<Zone> time_zone(std::string_view name) {
  for (const std::string_view same : {"utc", "gmt", "etc/utc", "etc/gmt", "z"})
    if (equals_ignoring_case(name, same)) return Zone(utc);
  // A blank is a plus sign that the client has not escaped.
  std::string text(name);
  if (text.starts_with(' ')) text[0] = '+';
  if (const auto east_s = offset_of(text))
    return Zone([zone = ZoneOffset{*east_s, text}](int64_t) { return zone; });
  return read_zone(name);
}

}  // namespace statmill::graphite
