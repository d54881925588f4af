#include "storage/codec/fragments.h"

#include "storage/codec/codec.h"

namespace statmill {
namespace {

struct Place {
  TierNo tier_no = 0;
  const Tier& tier;
  SeriesId id = 0;
  ChunkNo oldest = 0;
};

// Appends encode(...) of each chunk's part.
template <class OfSlot, class Encode>
void add_chunks(std::vector<StoreBatch::Fragment>& out, const Place& place, std::span<const OfSlot> all,
                const Encode& encode) {
  for (size_t begin = 0; begin < all.size();) {
    const ChunkNo chunk = place.tier.chunk_of_slot(all[begin].slot);
    size_t end = begin + 1;
    while (end < all.size() && place.tier.chunk_of_slot(all[end].slot) == chunk) ++end;
    if (chunk >= place.oldest) {
      const ChunkKey key{place.tier_no, chunk, place.id};
      const Slot first = static_cast<Slot>(chunk) * place.tier.chunk_slots;
      out.push_back({key, encode(key, first, all.subspan(begin, end - begin))});
    }
    begin = end;
  }
}

}  // namespace

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotBucket> buckets, ChunkNo oldest) {
  add_chunks(out, {tier_no, tier, id, oldest}, buckets,
             [](const ChunkKey& key, Slot first, std::span<const SlotBucket> of_chunk) {
               return encode_buckets(key, first, Combine::kMerge, of_chunk);
             });
}

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotHistogram> histograms, ChunkNo oldest) {
  add_chunks(out, {tier_no, tier, id, oldest}, histograms,
             [](const ChunkKey& key, Slot first, std::span<const SlotHistogram> of_chunk) {
               return encode_histogram_frame(key, first, of_chunk);
             });
}

}  // namespace statmill
