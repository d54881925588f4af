// SlotColumns: the buckets of one series in a range of slots, as one array per number: what queries compute
// with. Decoding fills it, windows and sums over series read it.
//
// Arrays have one element per slot, present or not, so that the same index is the same slot in every series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "storage/bucket.h"
#include "storage/ids.h"
#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"

namespace statmill {

// What a reader needs of the buckets. Count and sum always come; each part after them costs decoding time.
struct Parts {
  bool extremes = false;    // min and max
  bool squares = false;     // the sum of squares; includes the extremes
  bool histograms = false;  // the histograms of distributions
};

// Which elements of a column are present: one bit each.
class Presence {
 public:
  Presence() = default;
  explicit Presence(size_t size, bool value = false) { reset(size, value); }

  void reset(size_t size, bool value = false);
  size_t size() const { return size_; }
  bool operator[](size_t i) const { return (words_[i >> 6] >> (i & 63) & 1) != 0; }
  void set(size_t i) { words_[i >> 6] |= uint64_t{1} << (i & 63); }
  void clear(size_t i) { words_[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
  // Sets [begin, end). Cost: a store per 64 elements.
  void set(size_t begin, size_t end);
  void clear(size_t begin, size_t end);
  size_t count() const;
  size_t count(size_t begin, size_t end) const;
  bool all() const { return count() == size_; }
  bool any(size_t begin, size_t end) const { return next(begin) < end; }
  size_t next(size_t i) const;         // the first present element at or after i, or size()
  size_t next_absent(size_t i) const;  // the first absent element at or after i, or size()
  size_t previous(size_t i) const;     // the last present element before i, or size() if there is none
  // 64 elements at a time; bits past size() are 0.
  const std::vector<uint64_t>& words() const { return words_; }
  std::vector<uint64_t>& words() { return words_; }

  friend bool operator==(const Presence&, const Presence&) = default;

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

// A value type. Elements that are not present are 0 in every array.
//
// There are two forms. Decimals at one scale are nearly all there is. If a bucket is in doubles, or no scale
// suits all of them, the whole range is `mixed`: a list of Buckets, which is slower and just as exact.
struct SlotColumns {
  Slot begin = 0;  // the slot of element 0
  Parts parts;
  Presence present;

  bool is_mixed = false;
  std::vector<Bucket>
      mixed;  // one per slot if is_mixed; the decimals below are empty then, is_single is false

  int8_t scale = 0;  // value = integer / 10^scale, squares at 10^(2 scale)
  // Each present slot is one observation: counts are 1, extremes equal the sum, squares are its square, and
  // these arrays are empty.
  bool is_single = true;
  std::vector<int64_t> sums;
  std::vector<uint64_t> counts;
  std::vector<int64_t> mins;    // if parts.extremes
  std::vector<int64_t> maxs;    // if parts.extremes
  std::vector<Int128> squares;  // if parts.squares

  std::vector<SlotHistogram> histograms;  // ascending; if parts.histograms

  SlotColumns() = default;
  // Empty buckets in [begin, begin + size).
  SlotColumns(Slot first, size_t size, Parts wanted);

  size_t size() const { return present.size(); }
  Slot end() const { return begin + static_cast<Slot>(size()); }

  // Returns the bucket of element i, empty if it is not present. Numbers that `parts` leaves out are 0.
  // Requires: i < size().
  Bucket bucket_at(size_t i) const;
  // Returns its count.
  uint64_t count_at(size_t i) const {
    if (!present[i]) return 0;
    return is_mixed ? mixed[i].count() : is_single ? 1 : counts[i];
  }
  // Each returns the array whose integers, at `scale`, are that number of the present elements; nullptr if
  // the numbers are not stored as integers. Requires: parts.extremes for the extremes, unless is_single.
  const std::vector<int64_t>* stored_sums() const { return is_mixed ? nullptr : &sums; }
  const std::vector<int64_t>* stored_means() const { return is_single ? &sums : nullptr; }
  const std::vector<int64_t>* stored_mins() const { return is_single ? &sums : is_mixed ? nullptr : &mins; }
  const std::vector<int64_t>* stored_maxs() const { return is_single ? &sums : is_mixed ? nullptr : &maxs; }
  // Combines a bucket into element i; changes the form or the scale if it must. Numbers are exact whenever
  // those of Bucket are. Cost: a few ns for a single observation at `scale` in an element that is absent.
  void add(size_t i, const Bucket& bucket, Combine combine) {
    if (bucket.count() == 1 && bucket.is_decimal()) {
      return add_single(i, bucket.decimal().sum, bucket.scale(), combine);
    }
    add_any(i, bucket, combine);
  }
  // Combines one observation, integer / 10^at_scale, into element i.
  void add_single(size_t i, int64_t integer, int8_t at_scale, Combine combine) {
    if (!is_single || at_scale != scale || present[i]) return add_any_single(i, integer, at_scale, combine);
    sums[i] = integer;
    present.set(i);
  }
  // The same for elements in a row from `first` on. Cost: a copy if `at_scale` suits and all are absent.
  void add_singles(size_t first, std::span<const int64_t> integers, int8_t at_scale, Combine combine);
  // Combines the elements and histograms of `other` that lie in this range. Requires: other.parts has
  // all of `parts`.
  void add(const SlotColumns& other, Combine combine);
  // Empties elements [first, last), with their histograms.
  void erase(size_t first, size_t last);

  // The changes of form. Each is a no-op if the columns have that form.
  void make_counted();          // not is_single any more
  bool raise_scale(int8_t to);  // returns false, and changes nothing, if a number does not fit
  void make_mixed();

 private:
  void add_any(size_t i, const Bucket& bucket, Combine combine);
  void add_any_single(size_t i, int64_t integer, int8_t at_scale, Combine combine);
  // Returns false if the result is not a decimal at a scale that suits all others; scale and is_single may
  // have changed. Requires: decimals; `bucket` has nothing that `parts` leaves out.
  bool add_decimal(size_t i, Bucket bucket, Combine combine);
  bool bring_to_one_scale(Bucket& bucket);
  void put(size_t i, const Bucket& bucket);  // Requires: a decimal at `scale`
};

}  // namespace statmill
