// DeltaPool: the buckets that the series of one shard received in one epoch, in one array. A series without
// samples in the epoch uses no memory here.
//
// The buckets of a series form a chain, newest slot first, so that adding a newer slot needs no search (a
// backfill adds many slots in one epoch). The search for an older slot is bounded, so a slot may get a
// second, partial bucket; read() merges the two. Each bucket of a distribution also has a histogram.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/burst.h"
#include "storage/codec/codec.h"
#include "storage/slot_histograms.h"
#include "storage/sort_by_slot.h"

namespace statmill {

class DeltaPool {
 public:
  using Chain = uint32_t;                   // the chain of one series; 0 if empty
  static constexpr size_t kNodeBytes = 64;  // one cache line

  // Adds a sample, or merges a bucket, into the chain's bucket of `slot`. Creates that bucket if necessary.
  void add(Chain& chain, Slot slot, const Number& value, Combine combine) {
    Chain* const link = is_at(chain, slot) ? &chain : find(chain, slot);
    if (!is_at(*link, slot)) {
      push(*link, slot, value);
    } else if (combine == Combine::kAddEvents) {
      bucket_at(*link).add_event(Bucket::of(value));
    } else {
      bucket_at(*link).add(value);
    }
  }
  void add(Chain& chain, Slot slot, const Bucket& added, Combine combine) {
    Chain* const link = find(chain, slot);
    const bool is_event = combine == Combine::kAddEvents;
    if (is_at(*link, slot)) {
      is_event ? bucket_at(*link).add_event(added) : bucket_at(*link).merge(added);
    } else if (is_event && added.count() > 1) {
      Bucket total;  // an event slot is one observation
      total.add_event(added);
      push(*link, slot, total);
    } else {
      push(*link, slot, added);
    }
  }

  // Adds the histogram of a distribution's samples. Requires: add() has just been called for the same chain
  // and slot.
  void add_histogram(Chain& chain, Slot slot, std::span<const HistogramCell> cells) {
    add_to_histogram(chain, slot, [&](SparseHistogram& histogram) {
      for (const HistogramCell& cell : cells) histogram.add(cell.index, cell.count);
    });
  }
  void add_histogram(Chain& chain, Slot slot, const SparseHistogram& added) {
    add_to_histogram(chain, slot, [&](SparseHistogram& histogram) { histogram.merge(added); });
  }
  // Prefetches the memory that add() reads first.
  void prefetch(Chain chain) const {
    if (chain != 0) __builtin_prefetch(&nodes_[chain - 1], 1);
  }

  // Prefetches all buckets. Call it before reading many chains: a chain jumps back and forth in memory, and
  // each step of it waits for the one before.
  void prefetch_all() const {
    constexpr size_t kLine = 64;
    const char* const begin = reinterpret_cast<const char*>(nodes_.data());
    for (size_t at = 0; at < nodes_.size() * sizeof(Node); at += kLine) __builtin_prefetch(begin + at, 0, 2);
  }
  // Returns the chain's bucket if it has exactly one, as nearly all chains do; else nullptr. Requires: the
  // chain is not empty.
  const SlotBucket* only_bucket(Chain chain) const {
    const Node& newest = nodes_[chain - 1];
    return newest.next == 0 ? &newest.at : nullptr;
  }
  // Replaces `out` with the chain's buckets, by ascending slot, each slot once.
  void read(Chain chain, Combine combine, std::vector<SlotBucket>& out) const {
    out.clear();
    for (; chain != 0; chain = nodes_[chain - 1].next) out.push_back(nodes_[chain - 1].at);
    sort_chain(out, [combine](SlotBucket& to, const SlotBucket& from) {
      combine == Combine::kAddEvents ? to.bucket.add_event(from.bucket) : to.bucket.merge(from.bucket);
    });
  }
  // Returns the histogram of the bucket that only_bucket() returns. Requires: a distribution, and
  // only_bucket() is not nullptr.
  const SparseHistogram& only_histogram(Chain chain) const {
    return histograms_[nodes_[chain - 1].histogram - 1];
  }
  // Replaces `out` with the histograms of a distribution's chain: one per bucket, for the same slots.
  void read(Chain chain, std::vector<SlotHistogram>& out) const {
    out.clear();
    for (; chain != 0; chain = nodes_[chain - 1].next) {
      const Node& node = nodes_[chain - 1];
      out.push_back({node.at.slot, histograms_[node.histogram - 1]});
    }
    sort_chain(out, [](SlotHistogram& to, const SlotHistogram& from) { to.histogram.merge(from.histogram); });
  }

  size_t memory_bytes() const { return nodes_.size() * kNodeBytes + histogram_bytes_; }
  // Removes all buckets. Chains from before must not be used again.
  void clear() {
    clear_burst(nodes_);
    if (histograms_.empty()) return;
    clear_burst(histograms_);
    histogram_bytes_ = 0;
  }

 private:
  // Constructed in place: copying a bucket right after writing its fields would stall on those stores.
  struct alignas(kNodeBytes) Node {
    Node(Slot slot, const Number& value, Chain rest) : at{slot, Bucket::of(value)}, next(rest) {}
    Node(Slot slot, const Bucket& all, Chain rest) : at{slot, all}, next(rest) {}

    SlotBucket at;
    Chain next;
    uint32_t histogram = 0;  // 1 + index in histograms_; 0 if it has none
  };
  static_assert(sizeof(Node) == kNodeBytes);

  // Sorts the items of a chain, which are mostly in descending order, by ascending slot, and merges items of
  // the same slot.
  template <class Item, class Add>
  static void sort_chain(std::vector<Item>& items, const Add& add) {
    std::reverse(items.begin(), items.end());
    sort_by_slot(items, add);
  }
  // Returns the link to the slot's node, or the link where a new node for the slot belongs.
  Chain* find(Chain& chain, Slot slot) {
    constexpr int kSearchMax = 32;
    Chain* link = &chain;
    for (int i = 0; *link != 0 && nodes_[*link - 1].at.slot > slot && i < kSearchMax; ++i) {
      link = &nodes_[*link - 1].next;
    }
    return link;
  }
  static constexpr size_t kCellsExpected = 4;  // in one epoch
  template <class Add>
  void add_to_histogram(Chain& chain, Slot slot, const Add& add) {
    Node& node = nodes_[*find(chain, slot) - 1];
    if (node.histogram == 0) {
      histograms_.emplace_back().reserve(kCellsExpected);
      node.histogram = static_cast<uint32_t>(histograms_.size());
      histogram_bytes_ += sizeof(SparseHistogram) + histograms_.back().memory_bytes();
    }
    SparseHistogram& histogram = histograms_[node.histogram - 1];
    const size_t bytes = histogram.memory_bytes();
    add(histogram);
    histogram_bytes_ += histogram.memory_bytes() - bytes;
  }
  bool is_at(Chain chain, Slot slot) const { return chain != 0 && nodes_[chain - 1].at.slot == slot; }
  Bucket& bucket_at(Chain chain) { return nodes_[chain - 1].at.bucket; }
  template <class Value>
  void push(Chain& link, Slot slot, const Value& value) {
    const Chain rest = std::exchange(link, static_cast<Chain>(nodes_.size() + 1));
    nodes_.emplace_back(slot, value, rest);  // may move the node that `link` is part of
  }

  std::vector<Node> nodes_;
  std::vector<SparseHistogram> histograms_;
  size_t histogram_bytes_ = 0;
};

}  // namespace statmill
