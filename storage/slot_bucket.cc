#include "storage/slot_bucket.h"

#include <algorithm>

namespace statmill {

void combine_into(std::vector<SlotBucket>& a, std::span<const SlotBucket> b, Combine combine) {
  if (b.empty()) return;
  const auto before = [](const SlotBucket& x, const SlotBucket& y) { return x.slot < y.slot; };
  const auto tail = std::lower_bound(a.begin(), a.end(), b.front(), before);
  size_t added = b.size();
  for (auto x = tail, y = a.end(); x != y; ++x) {
    if (std::binary_search(b.begin(), b.end(), *x, before)) --added;
  }
  // From the end, so that every bucket moves once and none is overwritten before it has moved.
  size_t from = a.size();
  a.resize(a.size() + added);
  size_t to = a.size();
  for (size_t next = b.size(); next > 0;) {
    const SlotBucket& incoming = b[next - 1];
    if (from > 0 && a[from - 1].slot >= incoming.slot) {
      --to;
      --from;
      if (to != from) a[to] = a[from];
      if (a[to].slot == incoming.slot) {
        combine_bucket(a[to].bucket, incoming.bucket, combine);
        --next;
      }
    } else {
      a[--to] = incoming;
      --next;
    }
  }
}

}  // namespace statmill
