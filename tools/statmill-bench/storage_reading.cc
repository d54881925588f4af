// The measures read24h and read1y_avg: the wall time of reading one series through a snapshot, including
// decoding.
#include <algorithm>
#include <random>
#include <utility>

#include "storage/codec/chunk_columns.h"
#include "storage/codec/fragments.h"
#include "storage/rollup.h"
#include "tools/statmill-bench/storage_measures.h"
#include "tools/statmill-bench/storage_pipeline.h"

namespace statmill {
namespace {

constexpr size_t kDayReads = 200;

// A range of one tier: `slots` slots from the beginning of a chunk.
struct Range {
  TierNo tier = 0;
  size_t slots = 0;
};

// Reads the range of one series chunk by chunk, as a query does, and returns its averages. Errors: those of
// the store; kCorrupt if buckets are missing.
Result<std::vector<double>> read_averages(StoreSnapshot& snapshot, const Tiers& tiers, const Range& range,
                                          SeriesId id) {
  const Tier& tier = tiers[range.tier];
  std::vector<double> out;
  out.reserve(range.slots);
  const ChunkNo end = tier.chunk_of_slot(tier.slot_of(kFirstTime) + static_cast<Slot>(range.slots) - 1) + 1;
  for (ChunkNo chunk = tier.chunk_of_time(kFirstTime); chunk < end; ++chunk) {
    const ChunkKey key{range.tier, chunk, id};
    const Result<std::string> frames = snapshot.chunk(key);
    if (!frames) return frames.error();
    const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
    SlotColumns columns(first, static_cast<size_t>(tier.chunk_slots), {});
    decode_columns(key, first, tier.chunk_slots, *frames, columns);
    for (size_t i = columns.present.next(0); i < columns.size(); i = columns.present.next(i + 1))
      out.push_back(columns.bucket_at(i).mean());
  }
  if (out.size() != range.slots) {
    return Error{ErrorCode::kCorrupt, "series " + std::to_string(id) + " has " + std::to_string(out.size()) +
                                          " buckets instead of " + std::to_string(range.slots)};
  }
  return out;
}

// Reads random series, each through a snapshot of its own.
class RandomReader {
 public:
  RandomReader(BenchStore& store, const Range& range, size_t series)
      : store_(store), range_(range), series_(series) {}

  // Returns the wall time in us.
  Result<double> read(SeriesId id) {
    const auto begin = std::chrono::steady_clock::now();
    const auto snapshot = store_.store().snapshot();
    const auto averages = read_averages(*snapshot, store_.store().tiers(), range_, id);
    if (!averages) return averages.error();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }

  // Calls `prepare()` before each of the `n` reads.
  template <class Prepare>
  Result<std::vector<double>> read_random(size_t n, const Prepare& prepare) {
    std::vector<double> out;
    for (size_t i = 0; i < n; ++i) {
      if (Status s = prepare(); !s) return s.error();
      const Result<double> time = read(static_cast<SeriesId>(random_() % series_));
      if (!time) return time.error();
      out.push_back(*time);
    }
    return out;
  }
  // Reads every series first: then as much as fits is in the block cache, and the rest in the page cache.
  Result<std::vector<double>> read_random_warm(size_t n) {
    for (size_t id = 0; id < series_; ++id) {
      if (const auto time = read(static_cast<SeriesId>(id)); !time) return time.error();
    }
    return read_random(n, [] { return Status::ok(); });
  }

 private:
  static constexpr uint32_t kSeed = 20'261'120;

  BenchStore& store_;
  const Range range_;
  const size_t series_;
  std::mt19937 random_{kSeed};
};

void add_times(std::vector<Measurement>& out, const std::string& name, const std::vector<double>& times) {
  out.push_back({name + "_us", percentile(times, 50), "us", times.size()});
  out.push_back({name + "_p99_us", percentile(times, 99), "us", times.size()});
}

// Writes the range of every series of `mix`, computed from the slots of the finest tier. A fragment holds
// what one flush adds to the finest tier, or one closed chunk of a coarser tier.
Status write_range(Store& store, const Range& range, size_t series) {
  const Tiers& tiers = store.tiers();
  const Tier& finest = tiers.finest();
  const Tier& tier = tiers[range.tier];
  const size_t ratio = static_cast<size_t>(tier.step_s / finest.step_s);
  const size_t fine_slots = range.slots * ratio;
  const size_t step = range.tier == 0 ? kSlotsPerFragment : static_cast<size_t>(finest.chunk_slots);
  StorageValues values(StorageWorkload::kMix, series);
  for (size_t begin = 0; begin < fine_slots; begin += step) {
    StoreBatch batch;
    for (size_t s = 0; s < series; ++s) {
      std::vector<SlotBucket> fine;
      for (size_t i = begin; i < std::min(begin + step, fine_slots); ++i) {
        fine.push_back({finest.slot_of(kFirstTime) + static_cast<Slot>(i), values.next(s)});
      }
      const auto id = static_cast<SeriesId>(s);
      if (range.tier == 0) {
        Window window;
        for (const SlotBucket& b : fine) window.add(b, Combine::kMerge, nullptr);
        window.close();
        add_window(batch.fragments, store.tiers(), 0, id, Combine::kMerge, window);
      } else {
        add_fragments(batch.fragments, range.tier, tier, id, roll_up(fine, finest, tier, Kind::kGauge), 0);
      }
    }
    if (Status s = store.write(batch); !s) return s;
  }
  return Status::ok();
}

// Returns the time of one pass over 100 series, one after the other, in ms.
Result<double> read_many(RandomReader& reader, size_t series) {
  constexpr size_t kSeriesAtOnce = 100;
  double total_us = 0;
  for (size_t i = 0; i < kSeriesAtOnce; ++i) {
    const Result<double> time = reader.read(static_cast<SeriesId>(i * series / kSeriesAtOnce));
    if (!time) return time;
    total_us += *time;
  }
  return total_us / 1e3;
}

// Writes the day and reads it from the write buffer, as flushes leave it, and again after compaction.
Measured read_day_warm(const std::filesystem::path& path, const Range& day, size_t series) {
  constexpr size_t kPasses = 5;  // each figure is the median of these
  Result<BenchStore> store = BenchStore::open(path, bench_tiers());
  if (!store) return store.error();
  if (Status s = write_range(store->store(), day, series); !s) return s.error();
  RandomReader reader(*store, day, series);
  std::vector<Measurement> out;
  const auto unsettled = reader.read_random_warm(kDayReads);
  if (!unsettled) return unsettled.error();
  if (Status s = store->compact(day.tier); !s) return s.error();
  const auto warm = reader.read_random_warm(kDayReads);
  if (!warm) return warm.error();
  std::vector<double> many;
  for (size_t i = 0; i < kPasses; ++i) {
    const Result<double> time = read_many(reader, series);
    if (!time) return time.error();
    many.push_back(*time);
  }
  add_times(out, "storage.read24h.unsettled", *unsettled);
  add_times(out, "storage.read24h.warm", *warm);
  out.push_back({"storage.read100x24h_ms", percentile(many, 50), "ms", many.size()});
  return out;
}

// Drops the files from the page cache before each read. The store's own cache is too small to matter.
Result<std::vector<double>> read_day_cold(const std::filesystem::path& path, const Range& day,
                                          size_t series) {
  constexpr uint64_t kTinyCacheBytes = uint64_t{64} << 10;
  Result<BenchStore> store = BenchStore::open(path, bench_tiers(), kTinyCacheBytes);
  if (!store) return store.error();
  store->wait_until_idle();
  return RandomReader(*store, day, series).read_random(kDayReads, [&] { return store->drop_page_cache(); });
}

}  // namespace

Measured measure_read24h(const MeasureContext& context) {
  constexpr size_t kDaySeries = 1200;
  constexpr size_t kDaySlots = 8640;
  const size_t series = scaled_series(kDaySeries, context.options);
  say("read24h", std::to_string(series) + " series of mix x " + std::to_string(kDaySlots) + " slots");
  const Result<ScratchDirectory> directory = ScratchDirectory::make(context.options.directory);
  if (!directory) return directory.error();
  const std::filesystem::path path = directory->path() / "store";
  const Range day{.tier = 0, .slots = kDaySlots};
  Measured out = read_day_warm(path, day, series);
  if (!out) return out;
  const auto cold = read_day_cold(path, day, series);
  if (!cold) return cold.error();
  add_times(*out, "storage.read24h.cold", *cold);
  return out;
}

Measured measure_read1y(const MeasureContext& context) {
  constexpr size_t kYearSeries = 30;
  constexpr size_t kYearSlots = 105'120;  // slots of 5 min
  constexpr size_t kYearReads = 100;
  const size_t series = scaled_series(kYearSeries, context.options);
  say("read1y_avg",
      std::to_string(series) + " series of mix x " + std::to_string(kYearSlots) + " slots of 5 min");
  Result<ScratchStore> scratch = make_scratch_store(context);
  if (!scratch) return scratch.error();
  const Range year{.tier = 1, .slots = kYearSlots};
  if (Status s = write_range(scratch->store.store(), year, series); !s) return s.error();
  if (Status s = scratch->store.compact(year.tier); !s) return s.error();
  const auto warm = RandomReader(scratch->store, year, series).read_random_warm(kYearReads);
  if (!warm) return warm.error();
  std::vector<Measurement> out;
  add_times(out, "storage.read1y_avg.warm", *warm);
  return out;
}

}  // namespace statmill
