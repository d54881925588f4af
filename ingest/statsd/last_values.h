// LastValues: a hash table from gauge names to their last values and the times when these arrived.
//
// A gauge costs 32 bytes in one array; a lookup usually costs one cache miss, which prefetch() can hide. The
// table keeps the 128-bit hash instead of the name: among a million gauges, the probability that two share a
// hash by accident is 1.5e-27. Finding a collision (XXH3 does not promise that this is hard) gains an
// attacker nothing: someone who may send lines of gauges may also send the other gauge's own name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/number.h"

namespace statmill {

// Open addressing with linear probing; the size is a power of two; at most 7/8 full. Growing and shrinking
// move all entries, at about 10 ns each.
class LastValues {
 public:
  static constexpr size_t kSweepParts = 1000;  // calls of forget_before() that check every gauge once

  //  low u64 | high u64 | mantissa i64 | time i56, scale + 2 u8
  class Entry {
   public:
    Number value() const { return {mantissa_, static_cast<int8_t>(scale_code() - kScaleCode)}; }
    // The time of receipt.
    Timestamp time() const { return Timestamp(Duration(time_and_scale_ >> 8)); }
    void set(const Number& value, Timestamp time) {
      mantissa_ = value.mantissa;
      time_and_scale_ = time.time_since_epoch().count() * 256 + (value.scale + kScaleCode);
    }

   private:
    friend class LastValues;

    static constexpr int kScaleCode = 2;  // scales begin at -1; code 0 means an empty entry
    int scale_code() const { return static_cast<int>(time_and_scale_ & 0xff); }
    bool is_empty() const { return scale_code() == 0; }

    Hash128 name_;
    int64_t mantissa_ = 0;
    int64_t time_and_scale_ = 0;
  };
  static_assert(sizeof(Entry) == 32);

  LastValues() : entries_(kEntriesMin) {}

  // Prefetches the memory where find() begins.
  void prefetch(const Hash128& name) const { __builtin_prefetch(&entries_.data()[start(name)], 1); }
  // Returns the gauge with that name, valid until the next insert() or
  // forget_before(); nullptr if there is none.
  Entry* find(const Hash128& name) {
    for (size_t i = start(name);; i = next(i)) {
      Entry& entry = entries_.data()[i];
      if (entry.is_empty()) return nullptr;
      if (entry.name_ == name) return &entry;
    }
  }
  // Requires: find(name) == nullptr.
  void insert(const Hash128& name, const Number& value, Timestamp time);

  // Checks one of kSweepParts parts of the table, removes the gauges whose value arrived before `time`, and
  // returns how many it removed. The next call continues with the next part; after growing, with the first.
  uint64_t forget_before(Timestamp time);

  size_t size() const { return used_; }
  size_t room() const { return entries_.size(); }  // entries, including empty ones

 private:
  static constexpr size_t kEntriesMin = 64;

  size_t start(const Hash128& name) const { return name.low & (entries_.size() - 1); }
  size_t next(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  void put(const Entry& entry);
  void erase(size_t i);
  void resize(size_t entries);

  std::vector<Entry> entries_;
  size_t used_ = 0;
  size_t sweep_ = 0;  // the entry that forget_before() checks next
};

}  // namespace statmill
