// The measure histograms: lognormal latencies as distributions, encoded and decoded as a flush, a compaction
// and a query do.
#include <boost/random/lognormal_distribution.hpp>
#include <cmath>
#include <random>

#include "storage/codec/codec.h"
#include "storage/codec/histogram_window.h"
#include "storage/slot_histograms.h"
#include "tools/statmill-bench/storage_measures.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;

constexpr size_t kHistogramSlots = 2160;  // a chunk of the finest tier

struct Spread {
  int samples = 0;  // in each slot
  double sigma = 0;
  std::string name;  // "100_s3": samples, tenths of sigma
};

std::vector<SlotHistogram> make_histograms(const Spread& spread, Slot first, uint64_t seed) {
  std::mt19937_64 random(seed);
  boost::random::lognormal_distribution<double> latency(std::log(10), spread.sigma);
  std::vector<SlotHistogram> out;
  for (size_t i = 0; i < kHistogramSlots; ++i) {
    out.push_back({first + static_cast<Slot>(i), {}});
    for (int k = 0; k < spread.samples; ++k) out.back().histogram.add(histogram_index(latency(random)));
  }
  return out;
}

// Returns what the flushes of a chunk write, in order.
std::string flushed(const ChunkKey& key, Slot first, const std::vector<SlotHistogram>& histograms) {
  std::string value;
  for (size_t begin = 0; begin < histograms.size(); begin += kSlotsPerFragment) {
    HistogramWindow window;
    for (size_t i = begin; i < begin + kSlotsPerFragment; ++i)
      window.add(histograms[i].slot, histograms[i].histogram);
    window.close();
    value += encode_histogram_frame(key, first, *window.run());
  }
  return value;
}

// The encoded chunk of a series, and its cost.
struct Taken {
  uint64_t flushed_bytes = 0;
  uint64_t bytes = 0;
  nanoseconds flush{};
  nanoseconds compact{};
  nanoseconds decode{};
};

template <class Do>
auto timed(nanoseconds& cpu, const Do& action) {
  const nanoseconds begin = process_cpu();
  auto result = action();
  cpu += process_cpu() - begin;
  return result;
}

Status measure_series(const Spread& spread, uint64_t seed, Taken& taken) {
  const int64_t slots = bench_tiers().finest().chunk_slots;
  const ChunkKey key{0, 7, static_cast<SeriesId>(seed)};
  const Slot first = Slot{key.chunk} * slots;
  const std::vector<SlotHistogram> histograms = make_histograms(spread, first, seed);
  const std::string value = timed(taken.flush, [&] { return flushed(key, first, histograms); });
  const CompactedChunk compacted =
      timed(taken.compact, [&] { return compact_chunk(key, first, slots, value, true); });
  const DecodedChunk decoded =
      timed(taken.decode, [&] { return decode_chunk(key, first, slots, compacted.value); });
  taken.flushed_bytes += value.size();
  taken.bytes += compacted.value.size();
  if (decoded.histograms != histograms)
    return Error{ErrorCode::kCorrupt, "other histograms came out than went in"};
  return Status::ok();
}

}  // namespace

Measured measure_histograms(const MeasureContext& context) {
  constexpr size_t kSeries = 20;
  const size_t series = scaled_series(kSeries, context.options);
  const uint64_t n = series * kHistogramSlots;
  say("histograms", std::to_string(series) + " series x " + std::to_string(kHistogramSlots) + " slots");
  std::vector<Measurement> out;
  for (const Spread& spread : {Spread{100, 0.3, "100_s3"}, Spread{100, 0.5, "100_s5"},
                               Spread{1000, 0.3, "1000_s3"}, Spread{1000, 0.5, "1000_s5"}}) {
    Taken taken;
    for (size_t s = 0; s < series; ++s) {
      if (Status measured = measure_series(spread, s + 1, taken); !measured) return measured.error();
    }
    const auto add = [&](const char* what, double value, const char* unit) {
      out.push_back(
          {"storage.histograms." + spread.name + "." + what, value / static_cast<double>(n), unit, n});
    };
    add("bytes_per_slot", static_cast<double>(taken.bytes), "B");
    add("flushed_bytes_per_slot", static_cast<double>(taken.flushed_bytes), "B");
    add("flush_us_per_slot", static_cast<double>(taken.flush.count()) / 1e3, "us");
    add("compact_us_per_slot", static_cast<double>(taken.compact.count()) / 1e3, "us");
    add("decode_us_per_slot", static_cast<double>(taken.decode.count()) / 1e3, "us");
  }
  return out;
}

}  // namespace statmill
