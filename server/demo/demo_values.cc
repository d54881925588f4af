// The values of a DemoWorld.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "server/demo/demo_world.h"
#include "server/demo/noise.h"
#include "server/demo/slot_share.h"

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

// How much the seconds of a slot differ.
double spread_of(const DemoFamily& family) { return std::min(1.0, family.noise); }

// Adds a share of a slot's lognormal samples to a histogram and its bucket.
class Distribution {
 public:
  Distribution(const DemoFamily& family, uint64_t key, SlotShare share, DemoSample& out)
      : family_(family), key_(key), share_(share), out_(out) {}

  void add(double median, double samples, double sigma) {
    for (const auto& [sigmas, share] : kPoints) {
      const double jitter = white_noise(key_, ++drawn_) - 0.5;
      const double count = samples * share + white_noise(key_, ++drawn_);
      const auto all = static_cast<int64_t>(count);
      const uint64_t key = key_ + static_cast<uint64_t>(drawn_);
      // Values near the median come all the time.
      const int64_t own = std::abs(sigmas) < 0.5 ? part_of(all, share_, spread_of(family_), key)
                                                 : part_of_burst(all, share_, spread_of(family_), key);
      if (own > 0) add_samples(median * std::exp(sigma * (sigmas + 0.5 * jitter)), own);
    }
  }
  void add(double median, double samples) { add(median, samples, family_.sigma); }
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
  void add_samples(double value, int64_t n) {
    const auto v = std::max<int64_t>(1, std::llround(value));
    const auto count = static_cast<uint64_t>(n);
    numbers_.min = count_ == 0 ? v : std::min(numbers_.min, v);
    numbers_.max = count_ == 0 ? v : std::max(numbers_.max, v);
    numbers_.sum += n * v;
    numbers_.sum_of_squares += Int128{n} * v * v;
    count_ += count;
    out_.cells.push_back({histogram_index(static_cast<double>(v)), count});
  }

  const DemoFamily& family_;
  const uint64_t key_;
  const SlotShare share_;
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

// The value of a series at a time without its noise and its story.
double DemoWorld::smooth_level(const DemoSeries& series, int64_t time_s) const {
  const DemoFamily& family = *series.family;
  if (family.gain == 0) return family.level;
  const uint64_t key = series.host != nullptr ? series.host->key : series.key;
  return family.level + family.gain * load(series.host, key, time_s);
}

// The same with both. `smooth`: smooth_level() at about that time.
double DemoWorld::level(const DemoSeries& series, double smooth, int64_t time_s) const {
  const double noise = series.family->noise;
  double value = smooth;
  if (noise != 0) value *= 1 + noise * (2 * white_noise(series.key, time_s) - 1);
  value *= series.size;
  return std::max(0.0, series.story == DemoStory::kNone ? value : changed(series, time_s, value));
}

// Applies the series' story to a value.
double DemoWorld::changed(const DemoSeries& series, int64_t time_s, double value) const {
  const int64_t ago = start_s_ - time_s;
  const auto is_slot_of = [&](int64_t event) { return ago >= event && ago < event + slot_s_; };
  switch (series.story) {
    case DemoStory::kSpike:
      return ago == kSpikeAgo ? 100 : value;
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

// Sets `out` to a share of the samples of the slot that begins at `begin_s`.
void DemoWorld::distribute(const DemoSeries& series, int64_t begin_s, SlotShare share,
                           DemoSample& out) const {
  const double median = level(series, smooth_level(series, begin_s), begin_s);
  const double samples = series.family->samples * static_cast<double>(slot_s_);
  const int64_t ago = start_s_ - begin_s;
  const uint64_t key = series.key ^ mixed(static_cast<uint64_t>(begin_s));
  Distribution distribution(*series.family, key, share, out);
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

// Sets `out` to a share of the total of the slot that begins at `begin_s`, unless that is 0.
void DemoWorld::count(const DemoSeries& series, int64_t begin_s, SlotShare share, DemoSample& out) const {
  const double value = level(series, smooth_level(series, begin_s), begin_s);
  const double rest = white_noise(~series.key, begin_s);  // so that small rates are right on average
  const auto total = static_cast<int64_t>(value * static_cast<double>(slot_s_) + rest * 0.999);
  const uint64_t key = ~series.key ^ mixed(static_cast<uint64_t>(begin_s));
  const int64_t own = part_of(total, share, spread_of(*series.family), key);
  if (own > 0) out.bucket = Bucket::of(Number{own, 0});
}

// Sets `out` to the values at the seconds of [begin_s, end_s), which lie in one slot.
void DemoWorld::measure(const DemoSeries& series, int64_t begin_s, int64_t end_s, DemoSample& out) const {
  const int8_t scale = series.family->decimals;
  SM_CHECK(static_cast<size_t>(scale) < kPowersOfTen.size());
  const double unit = kPowersOfTen[static_cast<size_t>(scale)];
  const double smooth = smooth_level(series, begin_s / slot_s_ * slot_s_);
  for (int64_t time_s = begin_s; time_s < end_s; ++time_s) {
    const double value = level(series, smooth, time_s) * unit;
    out.bucket.add(Number{static_cast<int64_t>(std::llround(value)), scale});
  }
}

// Sets `out` to the samples of the seconds of [begin_s, end_s): a slot, or a second of it.
bool DemoWorld::samples(const DemoSeries& series, int64_t begin_s, int64_t end_s, DemoSample& out) const {
  out.bucket = {};
  out.cells.clear();
  const int64_t slot_begin_s = begin_s / slot_s_ * slot_s_;
  if (slot_begin_s < series.begin_s || slot_begin_s >= series.end_s) return false;
  if (series.host != nullptr && series.host->is_absent(slot_begin_s)) return false;
  const Kind kind = series.kind();
  const bool is_second = end_s - begin_s < slot_s_;
  SlotShare share = is_second ? SlotShare{begin_s - slot_begin_s, slot_s_} : SlotShare{};
  if (series.host == nullptr && kind != Kind::kEvent) {
    if (share.index > 0) return false;
    share = {};
    end_s = begin_s + 1;
  }
  switch (kind) {
    case Kind::kDistribution:
      distribute(series, slot_begin_s, share, out);
      break;
    case Kind::kEvent:
      count(series, slot_begin_s, share, out);
      break;
    case Kind::kCounter:
      out.bucket = Bucket::of(Number{end_s - begin_s, 0});  // one collection in each second
      break;
    case Kind::kGauge:
      measure(series, begin_s, end_s, out);
      break;
  }
  return !out.bucket.is_empty();
}

}  // namespace statmill
