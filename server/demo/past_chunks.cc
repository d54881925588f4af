#include "server/demo/past_chunks.h"

#include <algorithm>

#include "storage/codec/codec.h"
#include "storage/codec/histogram_window.h"

namespace statmill {
namespace {

// The samples of which an old slot of a coarser tier is made.
constexpr Slot kSamplesOfOldSlot = 6;

Bucket repeated(const Bucket& bucket, int64_t times) {
  if (times == 1 || !bucket.is_decimal()) return bucket;
  Bucket::Decimal numbers = bucket.decimal();
  numbers.sum *= times;
  numbers.sum_of_squares *= times;
  return Bucket::from_decimal(bucket.count() * static_cast<uint64_t>(times), numbers);
}

SparseHistogram repeated(const SparseHistogram& histogram, int64_t times) {
  std::vector<HistogramCell> cells(histogram.cells().begin(), histogram.cells().end());
  for (HistogramCell& cell : cells) cell.count *= static_cast<uint64_t>(times);
  return SparseHistogram::from_cells(std::move(cells), histogram.joined_power()).value_or(histogram);
}

}  // namespace

PastChunks::PastChunks(const DemoWorld& world, const Tiers& tiers)
    : world_(world), tiers_(tiers), end_(tiers.finest().slot_of(world.start_s())) {}

void PastChunks::add(Slot slot, const DemoSample& sample, Slots& out) {
  out.buckets.push_back({slot, sample.bucket});
  if (sample.cells.empty()) return;
  if (auto histogram = SparseHistogram::from_cells(sample.cells))
    out.histograms.push_back({slot, std::move(*histogram)});
}

void PastChunks::seconds(const DemoSeries& series, Slot begin, Slot end, Slots& out) const {
  const int64_t step_s = tiers_.detail().step_s;
  DemoSample sample;
  for (Slot slot = begin; slot < end; ++slot) {
    if (world_.second(series, slot * step_s, sample)) add(slot, sample, out);
  }
}

// Sets `out` to every `stride`-th slot.
void PastChunks::fine(const DemoSeries& series, Slot begin, Slot end, Slot stride, Slots& out) const {
  const int64_t step_s = tiers_.finest().step_s;
  out.buckets.clear();
  out.histograms.clear();
  out.buckets.reserve(static_cast<size_t>((end - begin) / stride + 1));
  DemoSample sample;
  for (Slot slot = begin; slot < end; slot += stride) {
    if (world_.sample(series, slot * step_s, sample)) add(slot, sample, out);
  }
}

// Appends the slots, each made of every `stride`-th slot of the finest tier.
void PastChunks::coarse(const DemoSeries& series, const Tier& tier, SlotRange range, Slots& out) const {
  const Tier& finest = tiers_.finest();
  const Slot ratio = tier.step_s / finest.step_s;
  Slots from;  // of one slot at a time, which stay in the CPU's cache
  for (Slot slot = range.begin; slot < range.end; ++slot) {
    fine(series, slot * ratio, (slot + 1) * ratio, range.stride, from);
    for (const auto& [at, bucket] : roll_up(from.buckets, finest, tier, series.kind()))
      out.buckets.push_back({at, repeated(bucket, range.stride)});
    for (const auto& [at, histogram] : roll_up(from.histograms, finest, tier))
      out.histograms.push_back({at, repeated(histogram, range.stride)});
  }
}

std::string PastChunks::frames(const ChunkKey& key) const {
  const Tier& finest = tiers_.finest();
  const Tier& tier = tiers_[key.tier];
  const DemoSeries& series = world_.series()[key.id];
  const bool is_coarse = key.tier > 0 && !tiers_.is_detail(key.tier);
  const Slot first = static_cast<Slot>(key.chunk) * tier.chunk_slots;
  const Slot fine_end = is_coarse ? static_cast<Slot>(open_chunk()) * finest.chunk_slots : end_;
  const Slot past = tier.slot_of(fine_end * finest.step_s);
  const auto slot_at = [&](int64_t time_s) {
    return tier.slot_of(std::clamp<int64_t>(time_s, 0, world_.start_s()));
  };
  const Slot begin = std::max({first, tier.slot_of(world_.begin_s()), slot_at(series.begin_s)});
  const Slot end = std::min({first + tier.chunk_slots, past, slot_at(series.end_s - 1) + 1});
  if (begin >= end) return {};
  Slots slots;
  if (tiers_.is_detail(key.tier)) {
    seconds(series, begin, end, slots);
  } else if (!is_coarse) {
    fine(series, begin, end, 1, slots);
  } else {
    const Slot ratio = tier.step_s / finest.step_s;
    const int64_t whole_s = series.kind() == Kind::kDistribution ? kWholeHistogramSeconds : kWholeSeconds;
    const Slot whole = std::clamp(tier.slot_of(world_.start_s() - whole_s), begin, end);
    const Slot stride = ratio % kSamplesOfOldSlot == 0 ? ratio / kSamplesOfOldSlot : 1;
    coarse(series, tier, {begin, whole, stride}, slots);
    coarse(series, tier, {whole, end, 1}, slots);
  }
  if (slots.buckets.empty()) return {};
  const Combine combine = is_coarse ? Combine::kMerge : combine_of(series.kind());
  std::string out = encode_buckets(key, first, combine, slots.buckets);
  HistogramWindow window;  // ten times as fast as the smallest encoding
  for (const auto& [slot, histogram] : slots.histograms) window.add(slot, histogram);
  if (window.is_empty()) return out;
  window.close();
  if (const auto run = window.run()) out += encode_histogram_frame(key, first, *run);
  return out;
}

}  // namespace statmill
