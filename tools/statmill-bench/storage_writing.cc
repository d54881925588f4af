// The measures mix, multi10, latency, events, doubles, seconds: buckets in RAM -> journal -> fragments ->
// compacted.
#include <fstream>
#include <utility>

#include "tools/statmill-bench/storage_measures.h"
#include "tools/statmill-bench/storage_pipeline.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {
namespace {

using std::chrono::nanoseconds;

struct WritingSize {
  size_t series = 0;
  size_t slots = 0;
};

// Whole chunks of 2160 slots, so that the chunks have about the same bytes and CPU time.
WritingSize default_size(StorageWorkload workload) {
  switch (workload) {
    case StorageWorkload::kMix:
      return {20'000, 4320};
    case StorageWorkload::kLatency:
      return {5000, 2160};
    default:
      return {10'000, 2160};
  }
}

WritingSize size_of(StorageWorkload workload, const StorageOptions& options) {
  const WritingSize size = default_size(workload);
  return {options.series.value_or(scaled_series(size.series, options)), options.slots.value_or(size.slots)};
}

// Returns the bytes that this process has written to storage, by the kernel's count; 0 if the kernel has
// none.
uint64_t kernel_written_bytes() {
  std::ifstream file("/proc/self/io");
  std::string key;
  for (uint64_t value = 0; file >> key >> value;) {
    if (key == "write_bytes:") return value;
  }
  return 0;
}

// The workload, cut into ticks. In each tick of a slot a part of the series sends. Neighbours send together,
// as a host sends all of its series at once.
class Feed {
 public:
  Feed(StorageWorkload workload, const WritingSize& size, size_t ticks)
      : values_(workload, size.series), slots_(size.slots), ticks_(ticks) {}

  // Calls `consume(slot, arrivals)` for each tick. Returns the number of buckets.
  template <class Consume>
  Result<uint64_t> run(const Tier& finest, const Consume& consume) {
    uint64_t buckets = 0;
    std::vector<Arrival> arrivals;
    for (size_t i = 0; i < slots_ * ticks_; ++i) {
      const size_t tick = i % ticks_;
      arrivals.clear();
      for (size_t s = values_.series() * tick / ticks_; s < values_.series() * (tick + 1) / ticks_; ++s) {
        const Bucket bucket = values_.next(s);
        if (!bucket.is_empty()) arrivals.push_back({static_cast<SeriesId>(s), bucket});
      }
      buckets += arrivals.size();
      const Slot slot = finest.slot_of(kFirstTime) + static_cast<Slot>(i / ticks_);
      if (Status status = consume(slot, arrivals); !status) return status.error();
    }
    return buckets;
  }

 private:
  StorageValues values_;
  const size_t slots_;
  const size_t ticks_;
};

// The cost of the workload, from the first bucket until now.
struct WritingCost {
  nanoseconds cpu{};
  WrittenBytes written;
  uint64_t kernel_written = 0;
};

WritingCost cost_since(const WritingCost& begin, BenchStore& store) {
  return {process_cpu() - begin.cpu, store.store().stats().written,
          kernel_written_bytes() - begin.kernel_written};
}

struct WritingCosts {
  nanoseconds making;     // generating the values, which the next two include
  WritingCost settled;    // after flushes and the compactions that they cause
  WritingCost compacted;  // after a full compaction, too
};

std::vector<Measurement> figures(const std::string& prefix, uint64_t buckets, uint64_t tier_bytes,
                                 const WritingCosts& costs) {
  std::vector<Measurement> out;
  const auto add = [&](const char* what, double total, const char* unit) {
    out.push_back({prefix + what + "_per_bucket", total / static_cast<double>(buckets), unit, buckets});
  };
  const auto add_bytes = [&](const char* what, uint64_t total) {
    add(what, static_cast<double>(total), "B");
  };
  const auto add_cpu = [&](const char* what, nanoseconds cpu) {
    add(what, static_cast<double>(cpu.count()) / 1e3, "us");
  };
  const WrittenBytes& written = costs.settled.written;
  add_bytes("bytes", tier_bytes);
  add_bytes("written", written.total());
  add_bytes("written_log", written.log);
  add_bytes("written_flush", written.flush);
  add_bytes("written_compaction", written.compaction);
  add_bytes("written_kernel", costs.settled.kernel_written);
  add_bytes("written_full", costs.compacted.written.total());
  add_cpu("cpu_us", costs.compacted.cpu - costs.making);
  add_cpu("cpu_auto_us", costs.settled.cpu - costs.making);
  add_cpu("cpu_generator_us", costs.making);
  return out;
}

std::vector<ShardNo> shards_of(size_t series) {
  std::vector<ShardNo> out;
  for (size_t i = 0; i < series; ++i) out.push_back(shard_of(hash_name(series_name(i))));
  return out;
}

// A measure, and how its series are stored.
struct Writing {
  StorageWorkload workload;
  std::string name;
  WritingSize size;
  size_t ticks = 1;          // per slot
  bool is_detailed = false;  // the slots are those of the detail tier
};

Measured measure(const Writing& writing, const MeasureContext& context) {
  const auto& [workload, name, size, ticks, is_detailed] = writing;
  say(name, std::to_string(size.series) + " series x " + std::to_string(size.slots) + " slots, " +
                std::to_string(ticks) + " ticks per slot, log not synced");
  Result<ScratchStore> scratch = make_scratch_store(context);
  if (!scratch) return scratch.error();
  BenchStore& store = scratch->store;
  const Tiers& tiers = store.store().tiers();
  const TierNo tier = is_detailed ? tiers.detail_no() : TierNo{0};

  const nanoseconds making_begin = process_cpu();
  const Result<uint64_t> made =
      Feed(workload, size, ticks).run(tiers[tier], [](Slot, const auto&) { return Status::ok(); });
  if (!made) return made.error();
  const nanoseconds making = process_cpu() - making_begin;

  Feed feed(workload, size, ticks);
  const std::vector<ShardNo> shards = shards_of(size.series);
  const auto slots_per_flush =
      kSlotsPerFragment * static_cast<size_t>(is_detailed ? tiers.detail_ratio() : 1);
  StoragePipeline pipeline(store.store(), shards,
                           {.kind = workload_kind(workload),
                            .is_detailed = is_detailed,
                            .ticks_per_flush = slots_per_flush * ticks});
  const WritingCost begin{process_cpu(), {}, kernel_written_bytes()};
  const Result<uint64_t> buckets = feed.run(
      tiers[tier],
      [&](Slot slot, const std::vector<Arrival>& arrivals) { return pipeline.tick(slot, arrivals); });
  if (!buckets) return buckets.error();
  if (Status s = pipeline.finish(); !s) return s.error();
  if (Status s = store.settle(); !s) return s.error();
  const WritingCost settled = cost_since(begin, store);
  if (Status s = store.compact(0); !s) return s.error();
  if (Status s = is_detailed ? store.compact(tier) : Status::ok(); !s) return s.error();
  const WritingCost compacted = cost_since(begin, store);

  return figures("storage." + name + ".", *buckets, store.tier_bytes(tier), {making, settled, compacted});
}

}  // namespace

Measured measure_writing(StorageWorkload workload, const MeasureContext& context) {
  return measure({workload, std::string(workload_name(workload)), size_of(workload, context.options),
                  context.options.ticks},
                 context);
}

Measured measure_seconds(const MeasureContext& context) {
  // Two whole chunks.
  const WritingSize size{scaled_series(10'000, context.options), context.options.slots.value_or(7200)};
  return measure({StorageWorkload::kMix, "seconds", size, 1, true}, context);
}

}  // namespace statmill
