#include "storage/slot_histograms.h"

#include <algorithm>
#include <utility>

namespace statmill {

void merge_into(std::vector<SlotHistogram>& a, std::span<const SlotHistogram> b) {
  if (b.empty()) return;
  const auto before = [](const SlotHistogram& x, Slot slot) { return x.slot < slot; };
  const auto tail = std::lower_bound(a.begin(), a.end(), b.front().slot, before);
  std::vector<SlotHistogram> rest(std::make_move_iterator(tail), std::make_move_iterator(a.end()));
  a.erase(tail, a.end());
  auto next = rest.begin();
  for (const SlotHistogram& incoming : b) {
    for (; next != rest.end() && next->slot < incoming.slot; ++next) a.push_back(std::move(*next));
    if (next != rest.end() && next->slot == incoming.slot) {
      next->histogram.merge(incoming.histogram);
    } else {
      a.push_back(incoming);
    }
  }
  std::move(next, rest.end(), std::back_inserter(a));
}

}  // namespace statmill
