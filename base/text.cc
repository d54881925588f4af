#include "base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number_text.h"

namespace statmill {
namespace {

struct Unit {
  std::string_view name;
  int64_t ms;
};
constexpr std::array<Unit, 7> kUnits = {{{"ms", 1},
                                         {"s", 1000},
                                         {"m", 60'000},
                                         {"h", 3'600'000},
                                         {"d", 86'400'000},
                                         {"w", 7 * 86'400'000LL},
                                         {"y", 365 * 86'400'000LL}}};
constexpr int64_t kDurationMax = 1000 * kUnits[6].ms;  // 1000 years

Error invalid(std::string_view what, std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, std::string(what) + " \"" + std::string(text) + "\": " + std::string(why)};
}

std::string_view leading_digits(std::string_view text) {
  return text.substr(0, text.find_first_not_of("0123456789"));
}

// Returns true for U+0080 to U+009F, which terminals obey as they obey ESC.
bool is_c1(std::string_view sequence) {
  return sequence.size() == 2 && sequence[0] == '\xc2' && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& u : kUnits) {
    if (u.name == name) return &u;
  }
  return nullptr;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  int64_t total = 0;
  std::string_view rest = text;
  if (rest.empty()) return invalid("duration", text, "empty");
  while (!rest.empty()) {
    const std::string_view digits = leading_digits(rest);
    const auto count = parse_as<int64_t>(digits);
    if (!count) return invalid("duration", text, "expected a number and a unit, as in 10s or 1y9d");
    rest.remove_prefix(digits.size());
    const size_t unit_end = std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), rest.size());
    const Unit* unit = find_unit(rest.substr(0, unit_end));
    if (unit == nullptr) return invalid("duration", text, "unit is not one of ms s m h d w y");
    rest.remove_prefix(unit_end);
    if (*count > kDurationMax / unit->ms || total > kDurationMax - *count * unit->ms) {
      return invalid("duration", text, "longer than 1000 years");
    }
    total += *count * unit->ms;
  }
  return Duration(total);
}

std::string format_duration(Duration d) {
  const int64_t ms = d.count();
  const Unit* best = &kUnits[0];
  for (const Unit& u : kUnits) {
    if (ms != 0 && ms % u.ms == 0) best = &u;
  }
  return std::to_string(ms / best->ms) + std::string(best->name);
}

Result<uint64_t> parse_bytes(std::string_view text) {
  const std::string_view digits = leading_digits(text);
  const std::string_view suffix = text.substr(digits.size());
  const auto n = parse_as<uint64_t>(digits);
  if (!n) return invalid("size", text, "expected a number, as in 64M");
  constexpr std::string_view kSuffixes = "KMGT";
  int shift = 0;
  if (!suffix.empty()) {
    const size_t i = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
    if (i == std::string_view::npos) return invalid("size", text, "suffix is not one of K M G T");
    shift = 10 * static_cast<int>(i + 1);
  }
  if (*n > (std::numeric_limits<uint64_t>::max() >> shift)) return invalid("size", text, "too large");
  return *n << shift;
}

Result<int64_t> parse_integer(std::string_view text, int64_t min, int64_t max) {
  const auto n = parse_as<int64_t>(text);
  if (!n) return invalid("number", text, "not an integer");
  if (*n < min || *n > max)
    return invalid("number", text, "not in " + std::to_string(min) + ".." + std::to_string(max));
  return *n;
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out.append("null");
    return;
  }
  std::array<char, 32> text{};
  constexpr double kExact = 9007199254740992.0;  // 2^53; every smaller integer is a double
  const bool integer = value == std::nearbyint(value) && std::abs(value) < kExact;
  const auto [end, error] =
      integer ? std::to_chars(text.data(), text.data() + text.size(), static_cast<int64_t>(value))
              : std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end);
}

size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  if (lead < 0x80) return 1;
  const auto length = static_cast<size_t>(std::countl_one(lead));
  if (length < 2 || length > 4 || text.size() < length) return 0;
  uint32_t code_point = lead & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    code_point = code_point << 6 | (byte & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kFirstOfLength = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_overlong = code_point < kFirstOfLength[length];
  const bool is_surrogate = 0xd800 <= code_point && code_point <= 0xdfff;
  return is_overlong || is_surrogate || code_point > 0x10ffff ? 0 : length;
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (0x20 <= c && c < 0x7f && c != '"' && c != '\\') {
      out.push_back(text[i]);
      ++i;
      continue;
    }
    const size_t length = utf8_length(text.substr(i));
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(text[i]);
    } else if (c < 0x20 || c == 0x7f || is_c1(text.substr(i, length))) {
      const auto code = static_cast<unsigned char>(text[i + length - 1]);
      out.append("\\u00").push_back(kHexDigits[code >> 4]);
      out.push_back(kHexDigits[code & 15]);
    } else if (length == 0) {
      out.append("\xef\xbf\xbd");
    } else {
      out.append(text.substr(i, length));
    }
    i += length == 0 ? 1 : length;
  }
  out.push_back('"');
}

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out.append("\\\\");
    } else if (' ' <= c && c <= '~') {
      out.push_back(c);
    } else {
      out.append({'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    }
  }
  return out;
}

std::string Endpoint::text() const {
  if (host.empty()) return "off";
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return invalid("address", text, "expected HOST:PORT");
  std::string_view host = text.substr(0, colon);
  const Result<int64_t> port = parse_integer(text.substr(colon + 1), 0, 65535);
  if (!port) return invalid("address", text, "port is not in 0..65535");
  if (host.front() == '[') {
    if (host.back() != ']' || host.size() < 3) return invalid("address", text, "expected [V6]:PORT");
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return invalid("address", text, "write an IPv6 address as [V6]:PORT");
  }
  return Endpoint{std::string(host), static_cast<uint16_t>(*port)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

}  // namespace statmill
