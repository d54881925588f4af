#include "server/graphite/series.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>

#include "base/text.h"
#include "server/query/columns_memory.h"

namespace statmill::graphite {
namespace {

// The summary of values; none if fewer are there than the series' factor requires of a whole band.
double band_value(const Series& series, std::span<const double> values, size_t whole) {
  const auto present =
      static_cast<double>(std::ranges::count_if(values, [](double value) { return !is_none(value); }));
  if (present == 0 || present / static_cast<double>(whole) < series.x_files_factor) return kNoValue;
  return series.consolidation.of(values);
}

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// How many bands of `step_s` the values lie in.
size_t bands_of(const Series& series, int64_t step_s) {
  const int64_t end_s = series.start_s + static_cast<int64_t>(series.values.size()) * series.step_s;
  const int64_t first_s = round_up(series.start_s, step_s);
  return first_s >= end_s ? 1 : static_cast<size_t>((end_s - first_s + step_s - 1) / step_s);
}

}  // namespace

size_t Series::memory_bytes() const {
  size_t bytes = sizeof(*this) + name.size() + path.size() + values.size() * sizeof(double);
  if (buckets != nullptr) bytes += column_bytes(*buckets);
  for (const auto& [key, value] : tags) bytes += 2 * sizeof(std::string) + key.size() + value.size();
  return bytes;
}

void consolidate(Series& series, int64_t step_s) {
  const auto per_band = static_cast<size_t>(step_s / series.step_s);
  if (per_band <= 1 || series.values.empty()) return;
  const int64_t end_s = series.start_s + static_cast<int64_t>(series.values.size()) * series.step_s;
  int64_t first_s = round_up(series.start_s, step_s);
  const bool has_whole = first_s < end_s;
  if (!has_whole) first_s = series.start_s / step_s * step_s;
  std::vector<double> out;
  const auto skipped =
      has_whole ? static_cast<size_t>((first_s - series.start_s + series.step_s - 1) / series.step_s) : 0;
  const std::span<const double> values = series.values;
  for (size_t i = skipped; i < values.size();) {
    const int64_t band_end_s = first_s + static_cast<int64_t>(out.size() + 1) * step_s;
    const int64_t left_s = band_end_s - series.start_s;
    const size_t end =
        std::clamp(static_cast<size_t>((left_s + series.step_s - 1) / series.step_s), i + 1, values.size());
    out.push_back(band_value(series, values.subspan(i, end - i), per_band));
    i = end;
  }
  series.values = std::move(out);
  series.start_s = first_s;
  series.step_s = step_s;
  series.end_s = first_s + static_cast<int64_t>(series.values.size()) * step_s;
}

void consolidate_to(Series& series, size_t points) {
  if (series.values.size() <= points) return;
  if (points == 1) {
    series.values = {band_value(series, series.values, series.values.size())};
    series.step_s = std::max<int64_t>(series.end_s - series.start_s, 1);
    return;
  }
  auto factor = static_cast<int64_t>((series.values.size() + points - 1) / points);
  while (bands_of(series, factor * series.step_s) > points) ++factor;
  consolidate(series, factor * series.step_s);
}

double rounded(double value, int64_t decimals) {
  constexpr int64_t kDecimalsMax = 22;  // more change no double above 1e-6
  if (!std::isfinite(value) || decimals > kDecimalsMax) return value;
  if (decimals < -300) return 0;
  if (decimals < 0) {
    const double power = std::pow(10.0, static_cast<double>(-decimals));
    return std::nearbyint(value / power) * power;
  }
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed,
                                 static_cast<int>(decimals))
                       .ptr;
  double out = value;
  std::from_chars(text.data(), end, out);
  return out;
}

std::string general_text(double value) {
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%g", value);
  return {text.data(), static_cast<size_t>(size)};
}

std::string float_text(double value) {
  if (std::isnan(value)) return "None";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double magnitude = std::abs(value);
  std::array<char, 400> text{};
  const auto form = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16) ? std::chars_format::scientific
                                                                              : std::chars_format::fixed;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, form).ptr;
  std::string out(text.data(), end);
  if (form == std::chars_format::fixed && out.find('.') == std::string::npos) out += ".0";
  return out;
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return float_text(value);
}

}  // namespace statmill::graphite
