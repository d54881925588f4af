// The values of a DemoWorld.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "server/demo/demo_world.h"
#include "server/demo/noise.h"

namespace statmill {
namespace {

constexpr std::array<double, 8> kPowersOfTen = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};

// Points of the standard normal distribution, and the share of the samples at each.
struct Point {
  double sigmas;
  double share;
};
constexpr std::array<Point, 13> kPoints = {{{-2.6, 0.01},
                                            {-1.9, 0.04},
                                            {-1.4, 0.08},
                                            {-1.0, 0.11},
                                            {-0.6, 0.14},
                                            {-0.2, 0.15},
                                            {0.2, 0.15},
                                            {0.6, 0.12},
                                            {1.0, 0.09},
                                            {1.5, 0.06},
                                            {2.0, 0.035},
                                            {2.6, 0.012},
                                            {3.2, 0.003}}};

// Adds lognormal samples to a histogram and its bucket.
class Distribution {
 public:
  Distribution(const DemoFamily& family, uint64_t key, DemoSample& out)
      : sigma_(family.sigma), key_(key), out_(out) {}

  void add(double median, double samples, double sigma) {
    for (const auto& [sigmas, share] : kPoints) {
      const double jitter = white_noise(key_, ++drawn_) - 0.5;
      const double count = samples * share + white_noise(key_, ++drawn_);
      add_samples(median * std::exp(sigma * (sigmas + 0.5 * jitter)), static_cast<uint64_t>(count));
    }
  }
  void add(double median, double samples) { add(median, samples, sigma_); }
  void finish() {
    auto& cells = out_.cells;
    std::ranges::sort(cells, {}, &HistogramCell::index);
    size_t kept = 0;
    for (size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].index == cells[kept].index) {
        cells[kept].count += cells[i].count;
      } else {
        cells[++kept] = cells[i];
      }
    }
    if (!cells.empty()) cells.resize(kept + 1);
    if (count_ > 0) out_.bucket = Bucket::from_decimal(count_, numbers_);
  }

 private:
  void add_samples(double value, uint64_t count) {
    if (count == 0) return;
    const auto v = std::max<int64_t>(1, std::llround(value));
    const auto n = static_cast<int64_t>(count);
    numbers_.min = count_ == 0 ? v : std::min(numbers_.min, v);
    numbers_.max = count_ == 0 ? v : std::max(numbers_.max, v);
    numbers_.sum += n * v;
    numbers_.sum_of_squares += Int128{n} * v * v;
    count_ += count;
    out_.cells.push_back({histogram_index(static_cast<double>(v)), count});
  }

  const double sigma_;
  const uint64_t key_;
  DemoSample& out_;
  int64_t drawn_ = 0;
  uint64_t count_ = 0;
  Bucket::Decimal numbers_;
};

}  // namespace

// The share of a host's capacity that is used.
double DemoWorld::load(const DemoHost* host, uint64_t key, int64_t time_s) const {
  constexpr int64_t kDay = 86400;
  const double day = day_[static_cast<size_t>(time_s % kDay / 60)];
  const int64_t weekday = (time_s / kDay + 4) % 7;  // 0: Sunday; 1970-01-01 was a Thursday
  const bool is_weekend = weekday == 0 || weekday == 6;
  const bool is_batch = host != nullptr && host->is_batch;
  const bool is_lab = host != nullptr && host->is_lab;
  double value = 0;
  if (is_batch) {
    const int64_t hour = time_s % kDay / 3600;
    value = hour >= 1 && hour < 4 ? 0.78 : 0.14;
  } else {
    value = is_lab ? 0.05 + 0.1 * day : 0.1 + (is_weekend ? 0.3 : 0.52) * day;
  }
  value += 0.16 * (smooth_noise(key, time_s, 2400) - 0.5) + 0.1 * (smooth_noise(~key, time_s, 300) - 0.5);
  const double age = static_cast<double>(start_s_ - time_s) / static_cast<double>(kHistorySeconds);
  return std::clamp(value * (1 - 0.3 * age), 0.01, 0.97);
}

double DemoWorld::level(const DemoSeries& series, int64_t time_s) const {
  const DemoFamily& family = *series.family;
  double value = family.level;
  if (family.gain != 0) {
    value += family.gain * load(series.host, series.host != nullptr ? series.host->key : series.key, time_s);
  }
  if (family.noise != 0) value *= 1 + family.noise * (2 * white_noise(series.key, time_s) - 1);
  value *= series.size;
  return std::max(0.0, series.story == DemoStory::kNone ? value : changed(series, time_s, value));
}

// Applies the series' story to a value.
double DemoWorld::changed(const DemoSeries& series, int64_t time_s, double value) const {
  const int64_t ago = start_s_ - time_s;
  const auto is_slot_of = [&](int64_t event) { return ago >= event && ago < event + slot_s_; };
  switch (series.story) {
    case DemoStory::kSpike:
      return is_slot_of(kSpikeAgo) ? 100 : value;
    case DemoStory::kBusyDisk:
      return ago <= kBimodalAgo ? 9.2e8 + 0.05 * value : value;
    case DemoStory::kLeak: {
      const int64_t since = kOomAgo + kLeakSeconds - ago;
      const bool is_leaking = since > 0 && ago > kOomAgo;
      return is_leaking ? value * (1 - 0.97 * static_cast<double>(since) / kLeakSeconds) : value;
    }
    case DemoStory::kOomKill:
      return is_slot_of(kOomAgo) ? 1.0 / static_cast<double>(slot_s_) : 0;
    case DemoStory::kLostLines:
      return is_slot_of(kLossAgo - kLossSeconds) ? double{kLinesLost} / static_cast<double>(slot_s_) : 0;
    case DemoStory::kThrottled:
      return ago <= kThrottledAgo ? 6e8 * (0.9 + 0.2 * white_noise(series.key, time_s)) : value;
    case DemoStory::kRetransmits:
      return ago <= kRetransmitsAgo ? value + static_cast<double>(kRetransmitsAgo - ago) / 8 : value;
    case DemoStory::kLacksPart:
      return 1;
    case DemoStory::kDoesNotWork:
      return 2;
    case DemoStory::kNone:
    case DemoStory::kBimodal:
    case DemoStory::kSlowRunqueue:
      break;
  }
  return value;
}

void DemoWorld::distribute(const DemoSeries& series, int64_t time_s, double median, DemoSample& out) const {
  const double samples = series.family->samples * static_cast<double>(slot_s_);
  const int64_t ago = start_s_ - time_s;
  Distribution distribution(*series.family, series.key ^ mixed(static_cast<uint64_t>(time_s)), out);
  if (series.story == DemoStory::kBimodal && ago <= kBimodalAgo) {
    distribution.add(1e6, 0.65 * samples, 0.12);
    distribution.add(8e7, 0.35 * samples, 0.06);
  } else if (series.story == DemoStory::kSlowRunqueue && ago <= kThrottledAgo) {
    distribution.add(median, 0.6 * samples);
    distribution.add(1.4e7, 0.4 * samples, 0.15);
  } else {
    distribution.add(median, samples);
  }
  distribution.finish();
}

bool DemoWorld::sample(const DemoSeries& series, int64_t time_s, DemoSample& out) const {
  out.bucket = {};
  out.cells.clear();
  if (time_s < series.begin_s || time_s >= series.end_s) return false;
  if (series.host != nullptr && series.host->is_absent(time_s)) return false;
  const Kind kind = series.kind();
  double value = level(series, time_s);
  if (kind == Kind::kDistribution) {
    distribute(series, time_s, value, out);
    return !out.bucket.is_empty();
  }
  if (kind == Kind::kCounter) value = 1.0 / static_cast<double>(slot_s_);  // one collection in each slot
  if (adds_up(kind)) {
    const double share = white_noise(~series.key, time_s);  // so that small rates are right on average
    value = std::floor(value * static_cast<double>(slot_s_) + share * 0.999);
    if (value < 1) return false;
  }
  const int8_t scale = adds_up(kind) ? int8_t{0} : series.family->decimals;
  SM_CHECK(static_cast<size_t>(scale) < kPowersOfTen.size());
  const double mantissa = std::round(value * kPowersOfTen[static_cast<size_t>(scale)]);
  out.bucket = Bucket::of(Number{static_cast<int64_t>(mantissa), scale});
  return true;
}

}  // namespace statmill
