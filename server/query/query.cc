#include "server/query/query.h"

#include <array>

#include "proto/number.h"

namespace statmill {
namespace {
constexpr std::array<std::string_view, 7> kNames = {"count", "sum", "avg", "stddev", "min", "max", "rate"};
}  // namespace

std::optional<Stat> parse_stat(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Stat>(i);
  }
  return std::nullopt;
}

std::optional<Percentile> Percentile::parse(std::string_view text) {
  Number percent;
  if (!text.starts_with('p') || parse_number(text.substr(1), percent).is_refused()) return std::nullopt;
  const bool is_plain = text.find_first_not_of("0123456789.", 1) == std::string_view::npos;
  if (!is_plain || percent.value() > 100) return std::nullopt;
  return Percentile{std::string(text), percent.value() / 100};
}

std::string_view stat_name(Stat stat) { return kNames[static_cast<size_t>(stat)]; }

bool is_total(Stat stat) {
  return stat == Stat::kCount || stat == Stat::kSum || stat == Stat::kAvg || stat == Stat::kRate;
}

std::optional<double> stat_of(Stat stat, const Bucket& bucket, Kind kind, int64_t step_s,
                              int64_t event_slot_s) {
  if (bucket.is_empty()) return std::nullopt;
  switch (stat) {
    case Stat::kCount:
      return static_cast<double>(bucket.count());
    case Stat::kSum:
      return kind == Kind::kEvent ? bucket.sum_times(event_slot_s) : bucket.sum();
    case Stat::kAvg:
      return bucket.mean();
    case Stat::kStddev:
      return bucket.stddev();
    case Stat::kMin:
      return bucket.min();
    case Stat::kMax:
      return bucket.max();
    // The first and the last bucket of an event series may cover only part of the step, so its mean is used.
    case Stat::kRate:
      return kind == Kind::kEvent ? bucket.mean() : bucket.sum() / static_cast<double>(step_s);
  }
  return std::nullopt;
}

}  // namespace statmill
