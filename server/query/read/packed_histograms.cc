#include "server/query/read/packed_histograms.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/codec/histogram_codec.h"

namespace statmill {

PackedHistograms::PackedHistograms(std::span<const SlotHistogram> histograms) {
  places_.reserve(histograms.size());
  for (const SlotHistogram& h : histograms) {
    places_.push_back({h.slot, bytes_.size()});
    encode_histogram(bytes_, h.histogram);
  }
  bytes_.shrink_to_fit();
}

void PackedHistograms::unpack_into(std::vector<SlotHistogram>& out, Slot begin, Slot end) const {
  const auto first = std::ranges::lower_bound(places_, begin, {}, &Place::slot);
  const auto last = std::ranges::lower_bound(places_, end, {}, &Place::slot);
  if (first >= last) return;
  const bool is_after = out.empty() || out.back().slot < first->slot;
  std::vector<SlotHistogram> apart;
  std::vector<SlotHistogram>& to = is_after ? out : apart;
  to.reserve(to.size() + static_cast<size_t>(last - first));
  Reader in(std::string_view(bytes_).substr(first->offset));
  for (auto place = first; place != last; ++place) {
    auto histogram = decode_histogram(in);
    SM_CHECK(histogram);
    to.push_back({place->slot, *std::move(histogram)});
  }
  if (!is_after) merge_into(out, apart);
}

size_t PackedHistograms::memory_bytes() const {
  return places_.capacity() * sizeof(Place) + bytes_.capacity();
}

}  // namespace statmill
