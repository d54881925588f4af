// The measure rollup: rolls `mix` up into the coarser tiers, chunk by chunk from a snapshot, as the server
// does.
#include <utility>

#include "base/text.h"
#include "storage/codec/codec.h"
#include "storage/codec/fragments.h"
#include "storage/rollup.h"
#include "tools/statmill-bench/storage_measures.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;

// Writes one chunk of the finest tier in fragments, as flushes leave it.
Status write_fine_chunk(Store& store, StorageValues& values, ChunkNo chunk) {
  const Tier& finest = store.tiers().finest();
  const Slot first = static_cast<Slot>(chunk) * finest.chunk_slots;
  for (Slot done = 0; done < finest.chunk_slots; done += static_cast<Slot>(kSlotsPerFragment)) {
    StoreBatch batch;
    for (size_t s = 0; s < values.series(); ++s) {
      std::vector<SlotBucket> buckets;
      for (size_t i = 0; i < kSlotsPerFragment; ++i) {
        buckets.push_back({first + done + static_cast<Slot>(i), values.next(s)});
      }
      add_fragments(batch.fragments, 0, finest, static_cast<SeriesId>(s), buckets, 0);
    }
    if (Status s = store.write(batch); !s) return s;
  }
  return Status::ok();
}

Status roll_chunk(Store& store, ChunkNo chunk) {
  constexpr size_t kSliceSeries = 512;  // series per batch, as in the server's roller
  const Tiers& tiers = store.tiers();
  const Tier& finest = tiers.finest();
  const Slot first = static_cast<Slot>(chunk) * finest.chunk_slots;
  const auto snapshot = store.snapshot();
  StoreBatch batch;
  size_t series = 0;
  Status written = Status::ok();
  const auto write = [&] {
    written = store.write(batch);
    batch = {};
  };
  const Status scanned = snapshot->scan(0, chunk, 0, [&](SeriesId id, std::string_view frames) {
    const DecodedChunk decoded = decode_chunk({0, chunk, id}, first, finest.chunk_slots, frames);
    for (TierNo t = 1; t < tiers.count(); ++t) {
      add_fragments(batch.fragments, t, tiers[t], id,
                    roll_up(decoded.buckets, finest, tiers[t], Kind::kGauge), 0);
    }
    if (++series % kSliceSeries == 0) write();
    return written.has_value();
  });
  if (!scanned) return scanned;
  if (written) write();
  return written;
}

}  // namespace

Measured measure_rollup(const MeasureContext& context) {
  constexpr size_t kSeries = 600;
  constexpr size_t kSlots = 30 * 8640;  // one whole chunk of the 1 h tier: 30 days
  const size_t series = scaled_series(kSeries, context.options);
  say("rollup", std::to_string(series) + " series of mix x " + std::to_string(kSlots) + " slots");
  Result<ScratchStore> scratch = make_scratch_store(context);
  if (!scratch) return scratch.error();
  BenchStore& store = scratch->store;
  const Tiers& tiers = store.store().tiers();

  StorageValues values(StorageWorkload::kMix, series);
  const ChunkNo first = tiers.finest().chunk_of_time(kFirstTime);
  const ChunkNo end =
      tiers.finest().chunk_of_time(kFirstTime + static_cast<int64_t>(kSlots) * tiers.finest().step_s);
  nanoseconds cpu{};
  for (ChunkNo chunk = first; chunk < end; ++chunk) {
    if (Status s = write_fine_chunk(store.store(), values, chunk); !s) return s.error();
    store.wait_until_idle();  // so that the rollup's CPU time holds no work of the finest tier
    const nanoseconds begin = process_cpu();
    if (Status s = roll_chunk(store.store(), chunk); !s) return s.error();
    store.wait_until_idle();
    cpu += process_cpu() - begin;
  }
  std::vector<Measurement> out;
  const uint64_t fine = uint64_t{series} * kSlots;
  out.push_back({"storage.rollup.cpu_us_per_bucket",
                 static_cast<double>(cpu.count()) / 1e3 / static_cast<double>(fine), "us", fine});
  for (TierNo t = 1; t < tiers.count(); ++t) {
    if (Status s = store.compact(t); !s) return s.error();
    const uint64_t n = fine / static_cast<uint64_t>(tiers[t].step_s / tiers.finest().step_s);
    out.push_back(
        {"storage.rollup_" + format_duration(std::chrono::seconds(tiers[t].step_s)) + ".bytes_per_bucket",
         static_cast<double>(store.tier_bytes(t)) / static_cast<double>(n), "B", n});
  }
  return out;
}

}  // namespace statmill
