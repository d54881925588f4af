#include "server/graphite/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "server/query/query.h"

namespace statmill::graphite {
namespace {

using Kind = Summary::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 16> kSummaries = {{
    {"average", Kind::kAverage},
    {"avg", Kind::kAverage},
    {"avg_zero", Kind::kAverageZero},
    {"count", Kind::kCount},
    {"current", Kind::kLast},
    {"diff", Kind::kDiff},
    {"last", Kind::kLast},
    {"max", Kind::kMax},
    {"median", Kind::kMedian},
    {"min", Kind::kMin},
    {"multiply", Kind::kMultiply},
    {"range", Kind::kRange},
    {"rangeOf", Kind::kRange},
    {"stddev", Kind::kStddev},
    {"sum", Kind::kSum},
    {"total", Kind::kSum},
}};

constexpr std::array<std::pair<std::string_view, Kind>, 10> kConsolidations = {{
    {"sum", Kind::kSum},
    {"average", Kind::kAverage},
    {"avg", Kind::kAverage},
    {"avg_zero", Kind::kAverageZero},
    {"min", Kind::kMin},
    {"max", Kind::kMax},
    {"first", Kind::kFirst},
    {"last", Kind::kLast},
    {"count", Kind::kCount},
    {"stddev", Kind::kStddev},
}};

template <size_t Count>
constexpr std::array<std::string_view, Count> names_of(
    const std::array<std::pair<std::string_view, Kind>, Count>& from) {
  std::array<std::string_view, Count> out;
  for (size_t i = 0; i < Count; ++i) out[i] = from[i].first;
  return out;
}

template <size_t Count>
std::optional<Summary> found(const std::array<std::pair<std::string_view, Kind>, Count>& in,
                             std::string_view name) {
  for (const auto& [text, kind] : in) {
    if (text == name) return Summary{kind};
  }
  const auto percentile = Percentile::parse(name);
  return percentile ? std::optional(Summary{Kind::kPercentile, percentile->q}) : std::nullopt;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

double stddev_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = sum_of(values) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile_of(std::vector<double> values, double quantile) {
  std::ranges::sort(values);
  const double rank = std::ceil(quantile * static_cast<double>(values.size()));
  return values[rank < 1 ? 0 : static_cast<size_t>(rank) - 1];
}

}  // namespace

double Summary::of(std::span<const double> values) const {
  std::vector<double> present;
  present.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(present), [](double value) { return !std::isnan(value); });
  if (kind == Kind::kCount) return static_cast<double>(present.size());
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (kind == Kind::kAverageZero && !values.empty())
    return sum_of(present) / static_cast<double>(values.size());
  if (present.empty() || (kind == Kind::kMultiply && present.size() < values.size())) return kNothing;
  switch (kind) {
    case Kind::kMedian:
      return median_of(std::move(present));
    case Kind::kSum:
      return sum_of(present);
    case Kind::kMin:
      return std::ranges::min(present);
    case Kind::kMax:
      return std::ranges::max(present);
    case Kind::kDiff: {
      double rest = present.front();
      for (size_t i = 1; i < present.size(); ++i) rest -= present[i];
      return rest;
    }
    case Kind::kStddev:
      return stddev_of(present);
    case Kind::kRange:
      return std::ranges::max(present) - std::ranges::min(present);
    case Kind::kMultiply: {
      double product = 1;
      for (const double value : present) product *= value;
      return product;
    }
    case Kind::kFirst:
      return present.front();
    case Kind::kLast:
      return present.back();
    case Kind::kPercentile:
      return percentile_of(std::move(present), quantile);
    case Kind::kAverage:
    case Kind::kAverageZero:
    case Kind::kCount:
    case Kind::kPool:
      break;
  }
  return sum_of(present) / static_cast<double>(present.size());
}

std::optional<Summary> parse_summary(std::string_view name) {
  constexpr std::string_view kSuffix = "Series";
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return found(kSummaries, name);
}

std::optional<Summary> parse_merging(std::string_view name) {
  return name == kPoolName ? std::optional(Summary{Kind::kPool}) : parse_summary(name);
}

std::optional<Summary> parse_consolidation(std::string_view name) { return found(kConsolidations, name); }

std::span<const std::string_view> summary_names() {
  static constexpr auto kNames = names_of(kSummaries);
  return kNames;
}

std::span<const std::string_view> consolidation_names() {
  static constexpr auto kNames = names_of(kConsolidations);
  return kNames;
}

}  // namespace statmill::graphite
