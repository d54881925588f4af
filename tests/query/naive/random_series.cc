#include "tests/query/naive/random_series.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace statmill::naive {
namespace {

constexpr int64_t kChunkSeconds = 21'600;

// The n-th value of a series, as a sender would write it.
class Values {
 public:
  Values(SeriesKind kind, Random& random) : random_(random), is_amount_(kind != SeriesKind::kGauge) {
    style_ = static_cast<Style>(random.below(kStyles));
    if (kind == SeriesKind::kDistribution && style_ == Style::kDoubles) style_ = Style::kCents;
    long_scale_ = static_cast<int8_t>(14 + random.below(4));
    state_ = static_cast<int64_t>(random.below(10'000));
  }

  Number next() {
    switch (style_) {
      case Style::kConstant:
        return decimal(state_, 2);
      case Style::kIntegers:
        return decimal(static_cast<int64_t>(random_.below(8)), 0);
      case Style::kCents:
        state_ = std::max<int64_t>(is_amount_ ? 0 : -10'000,
                                   state_ + static_cast<int64_t>(random_.below(201)) - 100);
        return decimal(state_, 2);
      case Style::kScales:
        return decimal(static_cast<int64_t>(random_.below(100'000)), static_cast<int8_t>(random_.below(7)));
      case Style::kManyDigits:
        return decimal(static_cast<int64_t>(random_.below(uint64_t{1} << 52)), 14);
      case Style::kLongDecimals:
        return decimal(static_cast<int64_t>(random_.below(100'000'000'000'000'000)), long_scale_);
      case Style::kDoubles:
        return Number::of(static_cast<double>(random_.below(uint64_t{1} << 40)) / 3e9);
    }
    return {};
  }

 private:
  enum class Style : uint8_t { kConstant, kIntegers, kCents, kScales, kManyDigits, kLongDecimals, kDoubles };
  static constexpr uint64_t kStyles = 7;

  static Number decimal(int64_t mantissa, int8_t scale) {
    while (scale > 0 && mantissa % 10 == 0) {
      mantissa /= 10;
      --scale;
    }
    return Number::decimal(mantissa, scale);
  }

  Random& random_;
  bool is_amount_;
  Style style_;
  int8_t long_scale_;
  int64_t state_;
};

std::vector<TimedNumber> random_samples(SeriesKind kind, const Span& span, Random& random) {
  Values values(kind, random);
  const uint64_t gaps = std::array<uint64_t, 4>{0, 5, 30, 70}[random.below(4)];  // percent of slots
  const uint64_t crowds = std::array<uint64_t, 3>{0, 10, 100}[random.below(3)];  // percent of slots
  const uint64_t holes = random.below(3) == 0 ? 5 : 0;  // per mille: 7 min of silence
  std::vector<TimedNumber> out;
  const int64_t first = span.begin_s + static_cast<int64_t>(random.below(random.below(2) * 200 + 1));
  for (int64_t slot = first / 10 * 10; slot < span.end_s; slot += 10) {
    if (random.below(1000) < holes) slot += 420;
    if (random.below(100) < gaps) continue;
    const uint64_t count = random.below(100) < crowds ? 1 + random.below(4) : 1;
    for (uint64_t i = 0; i < count; ++i) {
      const int64_t second = slot + static_cast<int64_t>(random.below(10));
      if (second < span.end_s) out.push_back({from_unix_seconds(second), values.next()});
    }
  }
  return out;
}

}  // namespace

Span random_span(Random& random) {
  const bool is_long = random.below(50) == 0;
  const auto slots = static_cast<int64_t>(is_long ? 500 + random.below(800) : 6 + random.below(90));
  // Two of three spans have the edge of a chunk inside them.
  const int64_t edge = kChunkSeconds * 78'704;
  const int64_t before = static_cast<int64_t>(random.below(static_cast<uint64_t>(slots) * 3 / 2));
  return {edge - before * 10, edge + (slots - before) * 10};
}

std::vector<SampledSeries> random_series(const Span& span, Random& random) {
  struct Family {
    const char* name;
    SeriesKind kind;
  };
  constexpr std::array kFamilies = {Family{"g0", SeriesKind::kGauge}, Family{"g1", SeriesKind::kGauge},
                                    Family{"c0", SeriesKind::kCounter}, Family{"e0", SeriesKind::kEvent},
                                    Family{"d0", SeriesKind::kDistribution}};
  std::vector<SampledSeries> out;
  for (const Family& family : kFamilies) {
    for (const char* host : {"a", "b", "c"}) {
      for (const char* cpu : {"", "0", "1"}) {
        if (random.below(2) == 0) continue;
        Labels labels = {{"__name__", family.name}, {"host", host}};
        if (*cpu != '\0') labels["cpu"] = cpu;
        out.push_back({labels, family.kind, random_samples(family.kind, span, random)});
      }
    }
  }
  for (const char* host : {"a", "b", "c"}) {
    if (random.below(3) != 0) continue;
    const Labels labels = {{"__name__", "host.up"}, {"host", host}};
    out.push_back({labels, SeriesKind::kCounter, random_samples(SeriesKind::kCounter, span, random)});
  }
  return out;
}

double greatest_of(const std::vector<SampledSeries>& series) {
  double greatest = 1;
  double total = 1;
  for (const SampledSeries& one : series) {
    for (const TimedNumber& sample : one.samples) {
      greatest = std::max(greatest, std::fabs(sample.value.value()));
      total += std::fabs(sample.value.value());
    }
  }
  return std::max(greatest, total);
}

std::string canonical_name(const Labels& labels) {
  std::string out = labels.at("__name__");
  for (const auto& [label, value] : labels) {
    if (label != "__name__") out.append(";").append(label).append("=").append(value);
  }
  return out;
}

}  // namespace statmill::naive
