#include "server/rules/humanize.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/time_text.h"

namespace statmill::rules {
namespace {

constexpr std::array<std::string_view, 8> kSmall = {"m", "u", "n", "p", "f", "a", "z", "y"};

// %.4g, with Go's words for what is no number.
std::string four_digits(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> out{};
  const int size = std::snprintf(out.data(), out.size(), "%.4g", value);
  return {out.data(), static_cast<size_t>(size)};
}

bool has_no_size(double value) { return value == 0 || !std::isfinite(value); }

// Below 1: in thousandths and so on.
std::string in_small_units(double value) {
  std::string_view unit;
  for (const std::string_view next : kSmall) {
    if (std::abs(value) >= 1) break;
    unit = next;
    value *= 1000;
  }
  return four_digits(value).append(unit);
}

template <size_t N>
std::string in_large_units(double value, double factor, const std::array<std::string_view, N>& units) {
  std::string_view unit;
  for (const std::string_view next : units) {
    if (std::abs(value) < factor) break;
    unit = next;
    value /= factor;
  }
  return four_digits(value).append(unit);
}

}  // namespace

std::string humanize(double value) {
  constexpr std::array<std::string_view, 8> kUnits = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  if (has_no_size(value)) return four_digits(value);
  return std::abs(value) >= 1 ? in_large_units(value, 1000, kUnits) : in_small_units(value);
}

std::string humanize_1024(double value) {
  constexpr std::array<std::string_view, 8> kUnits = {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  if (std::abs(value) <= 1 || !std::isfinite(value)) return four_digits(value);
  return in_large_units(value, 1024, kUnits);
}

std::string humanize_duration(double seconds) {
  constexpr double kWholeSecondsMax = 9e15;  // beyond, seconds are not exact
  if (has_no_size(seconds)) return seconds == 0 ? four_digits(seconds) + "s" : four_digits(seconds);
  if (std::abs(seconds) < 1) return in_small_units(seconds) + "s";
  if (std::abs(seconds) < 60 || std::abs(seconds) > kWholeSecondsMax) return four_digits(seconds) + "s";
  const auto whole = static_cast<int64_t>(std::abs(seconds));
  std::string out = seconds < 0 ? "-" : "";
  if (whole >= 86'400) out += std::to_string(whole / 86'400) + "d ";
  if (whole >= 3600) out += std::to_string(whole / 3600 % 24) + "h ";
  return out + std::to_string(whole / 60 % 60) + "m " + std::to_string(whole % 60) + "s";
}

std::string humanize_percentage(double ratio) { return four_digits(ratio * 100) + "%"; }

std::string humanize_timestamp(double unix_s) {
  constexpr double kTimeMax = 253'402'300'799;  // the end of the year 9999
  if (!(std::abs(unix_s) <= kTimeMax)) return four_digits(unix_s);
  const double whole = std::floor(unix_s);
  const std::string iso = iso_time(static_cast<int64_t>(whole));
  std::string out = iso.substr(0, iso.find('T')) + " " + iso.substr(iso.find('T') + 1);
  out.pop_back();  // Z
  if (const auto ms = std::lround((unix_s - whole) * 1000); ms > 0 && ms < 1000) {
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03ld", ms);
    out += fraction.data();
    while (out.back() == '0') out.pop_back();
  }
  return out + " +0000 UTC";
}

}  // namespace statmill::rules
