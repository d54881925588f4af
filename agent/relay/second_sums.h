// SecondSums: the sums of many series, one per series and second. A relay collects samples here and sends one
// line in place of many.
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
  static constexpr size_t kCellsMax = 1024;  // per sum: keeps its line far below a batch's limit
  // maximum growth caused by add()
  static constexpr size_t kCellsGrowthMax = kCellsMax * sizeof(HistogramCell);

  struct Key {
    std::string_view name;
    Kind kind = Kind::kGauge;
    int64_t time_s = 0;
    uint64_t hash = 0;  // hash_of() the other fields
  };
  static uint64_t hash_of(std::string_view name, Kind kind, int64_t time_s);

  struct Sum {
    Key key;
    SampleSum sum;
    uint32_t samples = 0;               // as counted by senders
    std::vector<HistogramCell>* cells;  // of a distribution, ascending; null for other kinds
  };
  // Called for each sum, events included.
  using Write = std::function<void(const Sum&)>;

  void prefetch_slot(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_sum(uint64_t hash) const {
    const uint32_t number = slots_[hash & (slots_.size() - 1)];
    if (number != 0) __builtin_prefetch(&at(number - 1));
  }
  Sum* find(const Key& key);
  // An upper bound for the growth of memory_bytes() when a sum is made with a name of this size.
  size_t growth(size_t name_size) const;
  // Adds a sum with one sample. Requires: no sum has this key, and SampleSum::can_hold() the sample.
  void make(const Key& key, const Number& value, uint64_t weight);
  // Adds a sample to a sum. Returns false and changes nothing if the sum cannot hold this sample, too.
  // Requires: SampleSum::can_hold() the sample.
  bool add(Sum& sum, const Number& value, uint64_t weight);
  // Resets the sum to this one sample. Requires: SampleSum::can_hold() the sample.
  void restart(Sum& sum, const Number& value, uint64_t weight);

  // Calls `write` for each sum in the order of their creation.
  void for_each(const Write& write) const;
  void clear();  // keeps its memory, unless that is much more than was used
  size_t memory_bytes() const { return blocks_.size() * kBlockBytes + slots_.size() * 4 + held_bytes_; }
  size_t used_bytes() const { return size_ * sizeof(Sum) + held_bytes_; }  // without free capacity

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
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(kSlotsMin);  // sum number + 1, linear probing; 0: free
  std::vector<std::unique_ptr<std::vector<HistogramCell>>> cells_;
  size_t size_ = 0;
  size_t held_bytes_ = 0;  // by names and cells
  TextArena names_;
};

}  // namespace statmill
