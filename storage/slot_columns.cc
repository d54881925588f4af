#include "storage/slot_columns.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/quotient.h"
#include "storage/bucket_check.h"

namespace statmill {
namespace {

constexpr size_t kWordBits = 64;

// The bits of a word from `bit` on.
uint64_t bits_from(size_t bit) { return ~uint64_t{0} << bit; }
// The bits of a word below `bit`. Requires: 0 < bit <= 64.
uint64_t bits_below(size_t bit) { return ~uint64_t{0} >> (kWordBits - bit); }

// Calls use(word index, mask) for each word that has bits of [begin, end).
template <class Use>
void for_each_word(size_t begin, size_t end, Use use) {
  if (begin >= end) return;
  const size_t first = begin / kWordBits;
  const size_t last = (end - 1) / kWordBits;
  for (size_t w = first; w <= last; ++w) {
    uint64_t mask = ~uint64_t{0};
    if (w == first) mask &= bits_from(begin % kWordBits);
    if (w == last) mask &= bits_below((end - 1) % kWordBits + 1);
    use(w, mask);
  }
}

// Numbers that nobody needs become 0, so that they cannot overflow.
Bucket only(const Bucket& bucket, Parts parts) {
  if (parts.squares || bucket.is_empty()) return bucket;
  if (bucket.is_decimal()) {
    Bucket::Decimal d = bucket.decimal();
    d.sum_of_squares = 0;
    if (!parts.extremes) d.min = d.max = 0;
    return Bucket::from_decimal(bucket.count(), d);
  }
  Bucket::Real r = bucket.real();
  r.m2 = 0;
  if (!parts.extremes) r.min = r.max = 0;
  return Bucket::from_real(bucket.count(), r);
}

bool fit_after(const std::vector<int64_t>& numbers, int64_t factor) {
  const int64_t limit = std::numeric_limits<int64_t>::max() / factor;
  return std::all_of(numbers.begin(), numbers.end(), [=](int64_t v) { return v <= limit && v >= -limit; });
}

template <class Number>
void fill_zero(std::vector<Number>& numbers, size_t first, size_t last) {
  if (numbers.empty()) return;
  std::fill(numbers.begin() + static_cast<ptrdiff_t>(first), numbers.begin() + static_cast<ptrdiff_t>(last),
            Number{});
}

}  // namespace

void Presence::reset(size_t size, bool value) {
  size_ = size;
  words_.assign((size + kWordBits - 1) / kWordBits, 0);
  if (value) set(0, size);
}

void Presence::set(size_t begin, size_t end) {
  for_each_word(begin, end, [&](size_t w, uint64_t mask) { words_[w] |= mask; });
}

void Presence::clear(size_t begin, size_t end) {
  for_each_word(begin, end, [&](size_t w, uint64_t mask) { words_[w] &= ~mask; });
}

size_t Presence::count() const { return count(0, size_); }

size_t Presence::count(size_t begin, size_t end) const {
  size_t n = 0;
  for_each_word(begin, end,
                [&](size_t w, uint64_t mask) { n += static_cast<size_t>(std::popcount(words_[w] & mask)); });
  return n;
}

size_t Presence::next(size_t i) const {
  if (i >= size_) return size_;
  size_t w = i / kWordBits;
  uint64_t word = words_[w] & bits_from(i % kWordBits);
  while (word == 0) {
    if (++w == words_.size()) return size_;
    word = words_[w];
  }
  return w * kWordBits + static_cast<size_t>(std::countr_zero(word));
}

size_t Presence::next_absent(size_t i) const {
  if (i >= size_) return size_;
  size_t w = i / kWordBits;
  uint64_t absent = ~words_[w] & bits_from(i % kWordBits);
  while (absent == 0) {
    if (++w == words_.size()) return size_;
    absent = ~words_[w];
  }
  return std::min(size_, w * kWordBits + static_cast<size_t>(std::countr_zero(absent)));
}

size_t Presence::previous(size_t i) const {
  if (i == 0 || size_ == 0) return size_;
  size_t w = (std::min(i, size_) - 1) / kWordBits;
  uint64_t word = words_[w] & bits_below((std::min(i, size_) - 1) % kWordBits + 1);
  while (word == 0) {
    if (w-- == 0) return size_;
    word = words_[w];
  }
  return w * kWordBits + static_cast<size_t>(std::bit_width(word)) - 1;
}

SlotColumns::SlotColumns(Slot first, size_t size, Parts wanted)
    : begin(first), parts(wanted), present(size), sums(size) {
  parts.extremes |= parts.squares;
}

Bucket SlotColumns::bucket_at(size_t i) const {
  if (!present[i]) return {};
  if (is_mixed) return mixed[i];
  if (is_single) return only(Bucket::from_decimal(1, single_decimal(sums[i], scale)), parts);
  return Bucket::from_decimal(counts[i], {sums[i], parts.squares ? squares[i] : 0,
                                          parts.extremes ? mins[i] : 0, parts.extremes ? maxs[i] : 0, scale});
}

void SlotColumns::add_singles(size_t first, std::span<const int64_t> integers, int8_t at_scale,
                              Combine combine) {
  const size_t last = first + integers.size();
  if (is_single && at_scale == scale && !present.any(first, last)) {
    std::copy(integers.begin(), integers.end(), sums.begin() + static_cast<ptrdiff_t>(first));
    present.set(first, last);
    return;
  }
  for (size_t i = 0; i < integers.size(); ++i) add_single(first + i, integers[i], at_scale, combine);
}

void SlotColumns::add(const SlotColumns& other, Combine combine) {
  const auto in_other = [&](Slot slot) {
    return static_cast<size_t>(std::clamp<Slot>(slot - other.begin, 0, static_cast<Slot>(other.size())));
  };
  const size_t last = in_other(end());
  for (size_t i = other.present.next(in_other(begin)); i < last; i = other.present.next(i + 1)) {
    add(static_cast<size_t>(other.begin + static_cast<Slot>(i) - begin), other.bucket_at(i), combine);
  }
  if (!parts.histograms) return;
  const auto is_before = [](const SlotHistogram& h, Slot slot) { return h.slot < slot; };
  const auto& all = other.histograms;
  const auto first_in = std::lower_bound(all.begin(), all.end(), begin, is_before);
  merge_into(histograms, {first_in, std::lower_bound(first_in, all.end(), end(), is_before)});
}

void SlotColumns::erase(size_t first, size_t last) {
  present.clear(first, last);
  fill_zero(mixed, first, last);
  fill_zero(sums, first, last);
  fill_zero(counts, first, last);
  fill_zero(mins, first, last);
  fill_zero(maxs, first, last);
  fill_zero(squares, first, last);
  std::erase_if(histograms, [&](const SlotHistogram& h) {
    return h.slot >= begin + static_cast<Slot>(first) && h.slot < begin + static_cast<Slot>(last);
  });
}

void SlotColumns::make_counted() {
  if (!is_single) return;
  is_single = false;
  counts.assign(size(), 0);
  for (size_t i = present.next(0); i < size(); i = present.next(i + 1)) counts[i] = 1;
  if (parts.extremes) mins = maxs = sums;
  if (!parts.squares) return;
  squares.resize(size());
  for (size_t i = 0; i < size(); ++i) squares[i] = Int128{sums[i]} * sums[i];
}

bool SlotColumns::raise_scale(int8_t to) {
  SM_CHECK(!is_mixed && to >= scale && to <= Bucket::kScaleMax);
  if (to == scale) return true;
  if (!present.any(0, size())) {
    scale = to;
    return true;
  }
  const int64_t factor = power_of_ten(to - scale);
  if (!fit_after(sums, factor) || !fit_after(mins, factor) || !fit_after(maxs, factor)) return false;
  const Int128 square_factor = Int128{factor} * factor;
  const Int128 square_limit = static_cast<Int128>(~Uint128{0} >> 1) / square_factor;
  if (std::any_of(squares.begin(), squares.end(), [=](Int128 q) { return q > square_limit; })) return false;
  for (std::vector<int64_t>* numbers : {&sums, &mins, &maxs}) {
    for (int64_t& v : *numbers) v *= factor;
  }
  for (Int128& q : squares) q *= square_factor;
  scale = to;
  return true;
}

void SlotColumns::make_mixed() {
  if (is_mixed) return;
  std::vector<Bucket> buckets(size());
  for (size_t i = present.next(0); i < size(); i = present.next(i + 1)) {
    buckets[i] = bucket_at(i);
    // Without the digits that only its neighbours needed.
    static_cast<void>(buckets[i].rescale(buckets[i].smallest_scale()));
  }
  mixed = std::move(buckets);
  is_mixed = true;
  is_single = false;
  scale = 0;
  sums = {};
  counts = {};
  mins = {};
  maxs = {};
  squares = {};
}

void SlotColumns::add_any_single(size_t i, int64_t integer, int8_t at_scale, Combine combine) {
  add_any(i, Bucket::from_decimal(1, single_decimal(integer, at_scale)), combine);
}

void SlotColumns::add_any(size_t i, const Bucket& bucket, Combine combine) {
  if (bucket.is_empty()) return;
  // The usual case in a chunk of several samples per slot.
  if (combine == Combine::kMerge && !is_mixed && !present[i] && bucket.is_decimal() &&
      bucket.scale() == scale) {
    if (bucket.count() > 1) make_counted();
    return put(i, bucket);
  }
  Bucket added = only(bucket, parts);
  if (combine == Combine::kAddEvents && bucket.count() > 1) {
    added = {};
    added.add_event(bucket);
    added = only(added, parts);
  }
  if (!is_mixed && add_decimal(i, added, combine)) return;
  make_mixed();
  combine_bucket(mixed[i], added, combine);
  mixed[i] = only(mixed[i], parts);
  present.set(i);
}

bool SlotColumns::add_decimal(size_t i, Bucket bucket, Combine combine) {
  if (!bucket.is_decimal() || !bring_to_one_scale(bucket)) return false;
  if (present[i]) {
    Bucket combined = bucket_at(i);
    combine_bucket(combined, bucket, combine);
    if (!combined.is_decimal() || !combined.rescale(scale)) return false;
    bucket = only(combined, parts);
  }
  if (bucket.count() > 1) make_counted();
  put(i, bucket);
  return true;
}

bool SlotColumns::bring_to_one_scale(Bucket& bucket) {
  if (bucket.scale() > scale && !raise_scale(bucket.scale())) {
    static_cast<void>(bucket.rescale(bucket.smallest_scale()));  // some of its digits may be zeros
    if (bucket.scale() > scale && !raise_scale(bucket.scale())) return false;
  }
  return bucket.rescale(scale);
}

void SlotColumns::put(size_t i, const Bucket& bucket) {
  const Bucket::Decimal d = bucket.decimal();
  present.set(i);
  sums[i] = d.sum;
  if (is_single) return;
  counts[i] = bucket.count();
  if (parts.extremes) {
    mins[i] = d.min;
    maxs[i] = d.max;
  }
  if (parts.squares) squares[i] = d.sum_of_squares;
}

}  // namespace statmill
