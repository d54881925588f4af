// HistogramModel: predicts the histograms of a series' slots and codes them as decisions of a range coder.
//
// One template for both directions: with RangeEncoder it writes the cells it is given, with RangeDecoder it
// returns the cells it reads, and both learn the same from them. storage/FORMAT.md specifies each step; a
// change of any number here is a new version of the coding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/int128.h"
#include "storage/codec/bits.h"
#include "storage/codec/range_coder.h"
#include "storage/histogram.h"

namespace statmill {

// Codes numbers of any size: the width in unary decisions, two decisions for the bits below the highest, the
// rest as plain bits. Like the coders, a decoder ignores `value`.
class Magnitudes {
 public:
  // Requires: value < 2^64 - 1.
  template <class Coder>
  uint64_t code(Coder& coder, uint64_t value) {
    const uint64_t above = value + 1;
    int width = 1;
    while (width < 64 && coder.decide(width < width_of(above), wider_[static_cast<size_t>(width)])) ++width;
    uint64_t out = 1;
    int left = width - 1;
    for (size_t node = 0; node < 3 && left > 0;) {
      --left;
      const bool bit = coder.decide((above >> left & 1) != 0, high_[static_cast<size_t>(width)][node]);
      out = out << 1 | uint64_t{bit};
      node = node == 0 ? 1 + size_t{bit} : 3;
    }
    return append_plain(coder, out, above, left) - 1;
  }

  // Returns `out` followed by the lowest `bits` of `value`.
  template <class Coder>
  static uint64_t append_plain(Coder& coder, uint64_t out, uint64_t value, int bits) {
    while (bits > 0) {
      const int now = std::min(bits, kPlainBitsMax);
      bits -= now;
      out = out << now | coder.plain(value >> bits & ((uint64_t{1} << now) - 1), now);
    }
    return out;
  }

 private:
  std::array<Odds, 64> wider_;
  std::array<std::array<Odds, 3>, 65> high_;
};

template <class Coder>
class HistogramModel {
 public:
  using Cell = SparseHistogram::Cell;

  // After `places_max` places code() fails.
  HistogramModel(Coder coder, uint64_t places_max) : coder_(coder), places_left_(places_max) {}

  Coder& coder() { return coder_; }
  // Codes the number of empty slots before the next one.
  uint64_t code_gap(uint64_t gap) { return slot_gaps_.code(coder_, gap); }

  // Codes the next slot; a decoder ignores `histogram`. Returns false after too many places, or if no encoder
  // writes what was read.
  bool code(const SparseHistogram& histogram) {
    find_places();
    if (places_.size() > places_left_) return false;
    places_left_ -= places_.size();
    cells_ = histogram.cells();
    read_.clear();
    next_.clear();
    if (!code_count(histogram.count())) return false;
    share_ = kOne / std::min<uint64_t>(++slots_, kMemorySlots);
    last_ = kBegin;
    neighbour_ = 0;
    nearby_ = nearby_expected_ = 0;
    size_t group_end = 0;
    size_t k = 0;
    for (; k < places_.size() && left_ > 0; ++k) {
      if (places_[k].index > last_ + 1) {
        if (!code_new(places_[k].index)) return false;
        if (left_ == 0) break;
        if (places_[k].index > last_ + 1) neighbour_ = 0;
      }
      if (k >= group_end) {
        update_factors();
        if (is_group(k)) {
          group_end = k + kGroup;
          if (code_empty(k)) {
            k += kGroup - 1;
            continue;
          }
        }
      }
      if (!code_place(places_[k])) return false;
    }
    if (left_ > 0 && !code_new(kEnd)) return false;
    for (; k < places_.size(); ++k) remember(places_[k].index, places_[k].mean, 0);
    end_slot();
    return true;
  }

  // Decoder: returns the cells of the slot just read. Call it at most once per slot.
  std::vector<Cell> release_cells() { return std::move(read_); }

 private:
  // Means are in samples per slot, times 2^16.
  static constexpr int kPoint = 16;
  static constexpr uint64_t kOne = uint64_t{1} << kPoint;
  static constexpr uint64_t kMeanMin = kOne / 64;              // smaller means are dropped
  static constexpr uint64_t kSeenMax = uint64_t{1} << 30;      // larger counts are treated as this one
  static constexpr uint64_t kExpectedMax = uint64_t{1} << 40;  // of one count
  static constexpr uint64_t kFactorMax = uint64_t{1} << 60;
  static constexpr uint64_t kMemorySlots = 32;
  static constexpr uint64_t kNearbyTrust =
      32;  // weight, in samples, of the assumption that nearby_ is as expected
  static constexpr HistogramIndex kBegin = -kHistogramIndexMax - 1;
  static constexpr HistogramIndex kEnd = kHistogramIndexMax + 1;
  // Counts with an expected value below 1.5 are coded in unary, others by their distance from it.
  static constexpr uint64_t kUnaryBelow = kOne + kOne / 2;
  static constexpr size_t kUnaryMax = 16;
  static constexpr size_t kGroup = 4;                // one decision may say that this many places are empty,
  static constexpr uint64_t kGroupBelow = kOne / 2;  // if fewer samples than this are expected in them
  static constexpr uint64_t kTreeSize = 32;

  struct Mean {
    HistogramIndex index = 0;
    uint64_t mean = 0;
  };
  // A bucket where samples are expected: one with a mean, or a neighbour of such a bucket.
  struct Place {
    HistogramIndex index = 0;
    uint64_t mean = 0;
    uint64_t smooth = 0;  // (2 * its mean + the means of its neighbours) / 4
  };

  // Sets places_ from means_.
  void find_places() {
    if (place_memory_.size() < 3 * means_.size()) place_memory_.resize(4 * means_.size());
    Place* end = place_memory_.data();
    HistogramIndex end_index = kBegin - 1;  // of end[-1]
    mean_left_ = 0;
    for (const Mean& m : means_) {
      const uint64_t quarter = m.mean / 4;
      mean_left_ += m.mean;
      if (end_index == m.index) {
        end[-2].smooth += quarter;
        end[-1].mean = m.mean;
        end[-1].smooth += 2 * quarter;
      } else {
        if (end_index == m.index - 1) {
          end[-1].smooth += quarter;
        } else {
          *end++ = {m.index - 1, 0, quarter};
        }
        *end++ = {m.index, m.mean, 2 * quarter};
      }
      end_index = m.index + 1;
      *end++ = {end_index, 0, quarter};
    }
    places_ = std::span(place_memory_).first(static_cast<size_t>(end - place_memory_.data()));
    next_.reserve(places_.size());
  }

  bool code_count(uint64_t count) {
    const uint64_t difference = counts_.code(coder_, zigzag(count - count_before_));
    left_ = count_before_ + unzigzag(difference);
    count_before_ = left_;
    return left_ > 0 && left_ <= SparseHistogram::kCountMax;
  }

  // Sets load_ to the ratio of the slot's remaining samples to the remaining means, and factor_ to load_
  // times the ratio of seen to expected samples in the last places.
  void update_factors() {
    const int width = width_of(mean_left_);
    load_ = kOne;
    if (width >= kInverseBits) {
      const uint64_t load = std::min(left_, kExpectedMax) * inverse(mean_left_, width);
      load_ = width < kPoint ? load << (kPoint - width) : load >> (width - kPoint);
    }
    const uint64_t nearby = nearby_expected_ + kNearbyTrust * kNearbyOne;
    const int nearby_width = width_of(nearby);
    const uint64_t excess =
        ((nearby_ + kNearbyTrust * kNearbyOne) * inverse(nearby, nearby_width)) >> nearby_width;
    factor_ = static_cast<uint64_t>(std::min((Uint128{load_} * excess) >> kPoint, Uint128{kFactorMax}));
  }
  // Returns mean * factor, both times 2^16, but at most what is left of the slot's samples.
  uint64_t expected(uint64_t mean, uint64_t factor) const {
    const uint64_t most = std::min(left_, kExpectedMax) << kPoint;
    const Uint128 out = (Uint128{mean} * factor) >> kPoint;
    return out < most ? static_cast<uint64_t>(out) : most;
  }
  // Returns about 2^(width + 16) / number. Requires: width == width_of(number) >= kInverseBits.
  static uint64_t inverse(uint64_t number, int width) { return kInverse[number >> (width - kInverseBits)]; }

  // Codes cells that are not in places, between the last coded bucket and `end`.
  bool code_new(HistogramIndex end) {
    while (left_ > 0 && end > last_ + 1) {
      const auto room = static_cast<uint64_t>(end - last_ - 1);
      bool more = !cells_.empty() && cells_.front().index < end;
      if (end != kEnd) {
        const int width = std::min(width_of(room), 15);
        more = coder_.decide(more, is_new_[static_cast<size_t>(width)][neighbour_ > 0 ? 1 : 0]);
        if (!more) return true;
      }
      Cell cell = Coder::kWrites ? cells_.front() : Cell{};
      const uint64_t gap = gaps_.code(coder_, static_cast<uint64_t>(cell.index - last_ - 1));
      if (gap >= room) return false;
      cell.index = last_ + 1 + static_cast<HistogramIndex>(gap);
      cell.count = 1 + new_counts_.code(coder_, cell.count - 1);
      if (!accept(cell)) return false;
      next_.push_back({cell.index, std::min(cell.count, kSeenMax) * share_});
      neighbour_ = 1;
    }
    return left_ == 0 || end != kEnd;
  }

  bool is_group(size_t k) const {
    return k + kGroup <= places_.size() &&
           places_[k + kGroup - 1].index == places_[k].index + static_cast<HistogramIndex>(kGroup) - 1;
  }
  // Codes whether all places of a group are empty, if that is likely. Returns true if they are and it was
  // coded.
  bool code_empty(size_t k) {
    const std::span<const Place> group(&places_[k], kGroup);
    uint64_t smooth = 0;
    for (const Place& p : group) smooth += p.smooth;
    const uint64_t all = expected(smooth, load_);
    if (all >= kGroupBelow) return false;
    const bool empty = cells_.empty() || cells_.front().index > group.back().index;
    if (!coder_.decide(empty, is_empty_[quarter_octave(all)][neighbour_ > 0 ? 1 : 0])) return false;
    for (const Place& p : group) learn(p, 0);
    last_ = group.back().index;
    neighbour_ = 0;
    return true;
  }

  bool code_place(const Place& place) {
    const bool has_cell = !cells_.empty() && cells_.front().index == place.index;
    const uint64_t value = has_cell ? cells_.front().count : 0;
    const uint64_t predicted = is_rough_ ? place.mean : place.smooth;
    const uint64_t mean = expected(predicted, factor_);
    const uint64_t without_nearby = std::min(expected(predicted, load_), kSeenMax << kPoint);
    const uint64_t count = mean < kUnaryBelow ? code_few(value, mean) : code_many(value, mean);
    last_ = place.index;
    if (count > 0 && !accept({place.index, count})) return false;
    neighbour_ = std::min<uint64_t>((count + 1) / 2, 2);
    constexpr int kToNearby = kPoint - kNearbyPoint;
    nearby_ += (std::min(count, kSeenMax) << kNearbyPoint) - nearby_ / 8;
    nearby_expected_ += (without_nearby >> kToNearby) - nearby_expected_ / 8;
    learn(place, count);
    return true;
  }

  uint64_t code_few(uint64_t value, uint64_t mean) {
    auto& more = more_[quarter_octave(mean)];
    for (size_t n = 0; n < kUnaryMax; ++n) {
      if (!coder_.decide(value > n, more[n][n < 2 ? neighbour_ : 0])) return n;
    }
    return kUnaryMax + escapes_.code(coder_, value - kUnaryMax);
  }

  // Codes the distance from the mean in steps. 32 steps cover four standard deviations of a Poisson
  // distribution; they are coarser while counts are farther from their means.
  uint64_t code_many(uint64_t value, uint64_t mean) {
    const uint64_t whole = mean >> kPoint;
    const int log = width_of(whole) - 1;
    const int half = static_cast<int>(mean >> (log + kPoint - 1) & 1);
    const int fine = log < 5 ? 0 : (log - 5) / 2 + 1;
    const int coarser = surprise_ < 64 ? 0 : std::min(width_of(surprise_ / 64), 6);
    const int shift = fine + coarser;
    const int kind = fine == 0 ? 2 * log + half : 10 + 2 * ((log - 5) & 1) + half;
    const int which = std::min(coarser, 3) * kTreeKinds + kind;
    auto& tree = trees_[static_cast<size_t>(which)];
    const uint64_t half_tree = (kTreeSize / 2) << shift;
    const uint64_t from = whole + 1 > half_tree ? whole + 1 - half_tree : 0;
    const uint64_t step = value < from ? 0 : std::min((value - from) >> shift, kTreeSize - 1);
    uint64_t node = 1;
    for (int bit = 4; bit >= 0; --bit)
      node = node << 1 | uint64_t{coder_.decide((step >> bit & 1) != 0, tree[node])};
    node -= kTreeSize;
    uint64_t count = 0;
    if (node == kTreeSize - 1) {
      const uint64_t least = from + (node << shift);
      count = least + escapes_.code(coder_, value - least);
    } else if (node == 0 && from > 0) {
      const uint64_t most = from + (uint64_t{1} << shift) - 1;
      count = most - escapes_.code(coder_, most - value);
    } else {
      count = from + Magnitudes::append_plain(coder_, node, value - from, shift);
    }
    const uint64_t distance = (count > whole ? count - whole : whole - count) >> fine;
    surprise_ += std::min<uint64_t>(distance, 1000) - surprise_ / 8;
    return count;
  }

  // Finishes a coded cell. Returns false if the slot cannot have it.
  bool accept(const Cell& cell) {
    // The place next to the outermost bucket is not a bucket; find_places() relies on that.
    if (cell.count == 0 || cell.count > left_ || !is_histogram_index(cell.index)) return false;
    left_ -= cell.count;
    last_ = cell.index;
    if constexpr (Coder::kWrites) {
      cells_ = cells_.subspan(1);
    } else {
      read_.push_back(cell);
    }
    return true;
  }

  void learn(const Place& place, uint64_t count) {
    const uint64_t seen = std::min(count, kSeenMax) << kPoint;
    smooth_error_ += seen > place.smooth ? seen - place.smooth : place.smooth - seen;
    rough_error_ += seen > place.mean ? seen - place.mean : place.mean - seen;
    mean_left_ -= std::min(mean_left_, place.mean);
    remember(place.index, place.mean, seen);
  }
  void remember(HistogramIndex index, uint64_t mean, uint64_t seen) {
    const int64_t difference = static_cast<int64_t>(seen) - static_cast<int64_t>(mean);
    mean += static_cast<uint64_t>((difference * static_cast<int64_t>(share_)) >> kPoint);
    if (mean >= kMeanMin) next_.push_back({index, mean});
  }
  // Smoothing over neighbours reduces the noise of a bucket's mean, but is wrong if samples have few distinct
  // values. The next slot uses whichever had the smaller error in the last slots.
  void end_slot() {
    is_rough_ = rough_error_ < smooth_error_;
    rough_error_ -= rough_error_ / 4;
    smooth_error_ -= smooth_error_ / 4;
    std::swap(means_, next_);
  }

  // Returns the class of a mean: 0 below 2^-10, then four classes per doubling.
  static size_t quarter_octave(uint64_t mean) {
    if (mean < 64) return 0;
    const int width = width_of(mean);
    return static_cast<size_t>(4 * (width - 7)) + (mean >> (width - 3) & 3) + 1;
  }

  static constexpr int kNearbyPoint = 8;
  static constexpr uint64_t kNearbyOne = uint64_t{1} << kNearbyPoint;
  static constexpr int kTreeKinds = 14;
  static constexpr int kInverseBits = 10;
  static constexpr std::array<uint32_t, 1024> kInverse = [] {
    std::array<uint32_t, 1024> inverse{};
    for (uint32_t n = 512; n < 1024; ++n) inverse[n] = (uint32_t{1} << 27) / (2 * n + 1);
    return inverse;
  }();

  Coder coder_;
  uint64_t places_left_;

  // The current slot.
  std::span<const Cell> cells_;   // encoder: cells that are not coded yet
  std::vector<Cell> read_;        // decoder: cells that have been read
  uint64_t left_ = 0;             // samples that are not coded yet
  uint64_t mean_left_ = 0;        // sum of the means of the remaining places
  HistogramIndex last_ = kBegin;  // everything up to this bucket is coded
  size_t neighbour_ = 0;          // count of the bucket before: 0: none, 1: few, 2: more
  uint64_t nearby_ = 0;           // decaying number of samples in the last places
  uint64_t nearby_expected_ = 0;  // the same for the samples expected there
  uint64_t load_ = kOne;          // set by update_factors(), times 2^16
  uint64_t factor_ = kOne;        // set by update_factors(), times 2^16
  std::vector<Place> place_memory_;
  std::span<const Place> places_;  // in place_memory_
  std::vector<Mean> next_;

  // Learned from the slots so far.
  uint64_t share_ = kOne;  // the weight of a slot in the means
  uint64_t slots_ = 0;
  std::vector<Mean> means_;  // ascending
  uint64_t count_before_ = 0;
  uint64_t surprise_ = 0;  // 8 times the mean distance of counts from their means, in fine steps
  bool is_rough_ = false;  // predict from means without smoothing
  uint64_t rough_error_ = 0;
  uint64_t smooth_error_ = 0;
  Magnitudes slot_gaps_;
  Magnitudes counts_;
  Magnitudes gaps_;
  Magnitudes new_counts_;
  Magnitudes escapes_;
  std::array<std::array<Odds, 2>, 16> is_new_;
  std::array<std::array<Odds, 2>, 40> is_empty_;
  std::array<std::array<std::array<Odds, 3>, kUnaryMax>, 44> more_;
  std::array<std::array<Odds, kTreeSize>, 4 * kTreeKinds> trees_;
};

}  // namespace statmill
