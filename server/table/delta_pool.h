// DeltaPool: the buckets that one epoch brought to the series of a shard, in one array: a series that is
// silent holds no room for them.
//
// Each series has a chain, newest slot first as samples come. The search along it is bounded: behind a few
// dozen slots a bucket gets a second, partial one; what is added up later adds up the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "server/table/burst.h"
#include "storage/codec.h"

namespace statmill {

class DeltaPool {
 public:
  using Chain = uint32_t;  // of one series; 0 when empty
  static constexpr size_t kNodeBytes = 72;

  // Adds to the chain's bucket of `slot`. True when that took a new node.
  bool add(Chain& chain, Slot slot, const Bucket& bucket, Combine combine) {
    constexpr int kSearchMax = 32;
    Chain next = chain;
    for (int i = 0; next != 0 && i < kSearchMax; ++i) {
      Node& node = nodes_[next - 1];
      if (node.slot == slot) {
        combine == Combine::kAddEvents ? node.bucket.add_event(bucket) : node.bucket.merge(bucket);
        return false;
      }
      next = node.next;
    }
    nodes_.push_back({slot, bucket, chain});
    if (combine == Combine::kAddEvents && bucket.count() != 1) {  // an event slot is one observation
      nodes_.back().bucket = {};
      nodes_.back().bucket.add_event(bucket);
    }
    chain = static_cast<Chain>(nodes_.size());
    return true;
  }

  // The chain's buckets, ascending, each slot once.
  void read(Chain chain, Combine combine, std::vector<SlotBucket>& out) const {
    out.clear();
    for (; chain != 0; chain = nodes_[chain - 1].next) {
      out.push_back({nodes_[chain - 1].slot, nodes_[chain - 1].bucket});
    }
    std::reverse(out.begin(), out.end());
    const auto before = [](const SlotBucket& a, const SlotBucket& b) { return a.slot < b.slot; };
    const auto not_before = [&](const SlotBucket& a, const SlotBucket& b) { return !before(a, b); };
    if (std::adjacent_find(out.begin(), out.end(), not_before) == out.end()) return;
    std::stable_sort(out.begin(), out.end(), before);
    size_t kept = 0;
    for (size_t i = 1; i < out.size(); ++i) {
      if (out[i].slot != out[kept].slot) {
        out[++kept] = out[i];
      } else if (combine == Combine::kAddEvents) {
        out[kept].bucket.add_event(out[i].bucket);
      } else {
        out[kept].bucket.merge(out[i].bucket);
      }
    }
    out.resize(kept + 1);
  }

  size_t size() const { return nodes_.size(); }
  void clear() { clear_burst(nodes_); }  // forgets all chains

 private:
  struct Node {
    Slot slot = 0;
    Bucket bucket;
    Chain next = 0;
  };
  static_assert(sizeof(Node) == kNodeBytes);

  std::vector<Node> nodes_;
};

}  // namespace statmill
