// LastValues: the last value of each of many gauges and when it came, by the hash of its name.
//
// A gauge costs 32 bytes of one array, and a look at it mostly one wait for memory, which prefetch() can ask
// for ahead. The name itself is not kept: among a million gauges two share a hash of 128 bits with a chance
// of 1.5e-27, by accident. Nor is there anything to win by finding two such names (XXH3 does not promise that
// it is hard): who may send a gauge's lines may send its very name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "proto/number.h"

namespace statmill {

// Open addressing with linear probing, power-of-two size, at most 7/8 full. Growing or shrinking, which moves
// all entries, costs about 10 ns for each.
class LastValues {
 public:
  static constexpr size_t kSweepParts = 1000;  // as many calls of forget_before() look at every gauge

  //  low u64 | high u64 | mantissa i64 | time i56, scale + 2 u8
  class Entry {
   public:
    Number value() const { return {mantissa_, static_cast<int8_t>(scale_code() - kScaleCode)}; }
    // Of its receipt.
    Timestamp time() const { return Timestamp(Duration(time_and_scale_ >> 8)); }
    void set(const Number& value, Timestamp time) {
      mantissa_ = value.mantissa;
      time_and_scale_ = time.time_since_epoch().count() * 256 + (value.scale + kScaleCode);
    }

   private:
    friend class LastValues;

    static constexpr int kScaleCode = 2;  // scales begin at -1, and 0 is kept for what is empty
    int scale_code() const { return static_cast<int>(time_and_scale_ & 0xff); }
    bool is_empty() const { return scale_code() == 0; }

    Hash128 name_;
    int64_t mantissa_ = 0;
    int64_t time_and_scale_ = 0;
  };
  static_assert(sizeof(Entry) == 32);

  LastValues() : entries_(kEntriesMin) {}

  // Asks for the memory that find() begins with.
  void prefetch(const Hash128& name) const { __builtin_prefetch(&entries_.data()[start(name)], 1); }
  // The gauge of that name, until the next insert() or forget_before(); or null.
  Entry* find(const Hash128& name) {
    for (size_t i = start(name);; i = next(i)) {
      Entry& entry = entries_.data()[i];
      if (entry.is_empty()) return nullptr;
      if (entry.name_ == name) return &entry;
    }
  }
  // Requires: the name is not there yet.
  void insert(const Hash128& name, const Number& value, Timestamp time);

  // Forgets those whose value came before `time`, among a part of all; the next call goes on from there. How
  // many. A table that has grown since is looked at from its beginning.
  uint64_t forget_before(Timestamp time);

  size_t size() const { return used_; }
  size_t room() const { return entries_.size(); }  // entries, in use or not

 private:
  static constexpr size_t kEntriesMin = 64;

  size_t start(const Hash128& name) const { return name.low & (entries_.size() - 1); }
  size_t next(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  void put(const Entry& entry);
  void erase(size_t i);
  void resize(size_t entries);

  std::vector<Entry> entries_;
  size_t used_ = 0;
  size_t sweep_ = 0;  // the entry to look at next
};

}  // namespace statmill
