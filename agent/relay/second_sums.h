// SecondSums: the sums of many series, each of one second: what a relay holds back to hand on a line where
// many samples came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "agent/relay/sample_sum.h"
#include "base/hash.h"
#include "proto/text_arena.h"

namespace statmill {

// Thread-compatible.
class SecondSums {
 public:
  static constexpr size_t kCellsMax = 1024;  // of one sum: its line stays far below a batch's limit
  static constexpr size_t kCellsGrowthMax = kCellsMax * sizeof(HistogramCell);  // of add()

  struct Key {
    std::string_view name;
    Kind kind = Kind::kGauge;
    int64_t time_s = 0;
    uint64_t hash = 0;  // hash_of() the others
  };
  static uint64_t hash_of(std::string_view name, Kind kind, int64_t time_s);

  struct Sum {
    Key key;
    SampleSum sum;
    uint32_t samples = 0;               // as senders count them
    std::vector<HistogramCell>* cells;  // of a distribution, ascending; else null
  };
  // Also of an event, whose sum is all there is.
  using Write = std::function<void(const Sum&)>;

  void prefetch_slot(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_sum(uint64_t hash) const {
    const uint32_t number = slots_[hash & (slots_.size() - 1)];
    if (number != 0) __builtin_prefetch(&at(number - 1));
  }
  Sum* find(const Key& key);
  // Bytes that memory_bytes() grows by, at most, when a sum of a name of that size is made.
  size_t growth(size_t name_size) const;
  // Requires: not there yet, and SampleSum::can_hold() the sample.
  void make(const Key& key, const Number& value, uint64_t weight);
  // False, and nothing has changed, when it cannot hold this sample too. Requires: can_hold() the sample.
  bool add(Sum& sum, const Number& value, uint64_t weight);
  // Begins the sum anew, with this sample. Requires: likewise.
  void restart(Sum& sum, const Number& value, uint64_t weight);

  // In the order in which they were made.
  void for_each(const Write& write) const;
  void clear();  // keeps its memory, unless it has much more than it used
  size_t memory_bytes() const { return blocks_.size() * kBlockBytes + slots_.size() * 4 + held_bytes_; }
  size_t used_bytes() const { return size_ * sizeof(Sum) + held_bytes_; }  // what is kept free is not counted

 private:
  static constexpr size_t kBlock = 512;
  static constexpr size_t kBlockBytes = kBlock * sizeof(Sum);
  static constexpr size_t kSlotsMin = 1024;
  static constexpr size_t kCellsBytes = sizeof(std::vector<HistogramCell>) + sizeof(void*);

  Sum& at(size_t number) const { return blocks_[number / kBlock][number % kBlock]; }
  bool is_at_load() const { return (size_ + 1) * 2 > slots_.size(); }
  void put(uint64_t hash, uint32_t number_and_one);
  void grow_slots();
  void count_cell(std::vector<HistogramCell>& cells, const Number& value, uint64_t weight);

  std::vector<std::unique_ptr<Sum[]>> blocks_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kSlotsMin);  // number + 1, linear probing; 0: free
  std::vector<std::unique_ptr<std::vector<HistogramCell>>> cells_;
  size_t size_ = 0;
  size_t held_bytes_ = 0;  // of names and cells
  TextArena names_;
};

}  // namespace statmill
