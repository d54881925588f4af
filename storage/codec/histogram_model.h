// HistogramModel: what the histograms of a series' slots are expected to be, and how they come out as
// decisions for a range coder.
//
// One template for both directions: of RangeEncoder it writes the cells it is given, of RangeDecoder it gives
// back what it reads, and both learn the same from it. storage/FORMAT.md tells each step; a change of any
// number here is a new version of the coding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "storage/codec/bits.h"
#include "storage/codec/range_coder.h"
#include "storage/histogram.h"

namespace statmill {

// Numbers of any size: the width, as many decisions as that is, the two bits below the highest, and the rest
// as plain bits.
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

  // `out` with the lowest `bits` of `value` behind it.
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

  // `places_max`: how many places it may look at before it gives up.
  HistogramModel(Coder coder, uint64_t places_max) : coder_(coder), places_left_(places_max) {}

  Coder& coder() { return coder_; }
  // How many slots are empty before the next.
  uint64_t code_gap(uint64_t gap) { return slot_gaps_.code(coder_, gap); }

  // The next slot: the encoder's from these cells, the decoder's from nothing. False when it gave up, or read
  // what no encoder writes.
  bool code(const SparseHistogram& histogram) {
    arrange();
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
        look_back();
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
    conclude();
    return true;
  }

  // The decoder's cells of the slot just read.
  std::vector<Cell> take() { return std::move(read_); }

 private:
  // Means are numbers of samples per slot in 2^-16.
  static constexpr int kPoint = 16;
  static constexpr uint64_t kOne = uint64_t{1} << kPoint;
  static constexpr uint64_t kMeanMin = kOne / 64;              // what is less is forgotten
  static constexpr uint64_t kSeenMax = uint64_t{1} << 30;      // more samples than these count as these
  static constexpr uint64_t kExpectedMax = uint64_t{1} << 40;  // of one count
  static constexpr uint64_t kFactorMax = uint64_t{1} << 60;
  static constexpr uint64_t kMemorySlots = 32;
  static constexpr uint64_t kNearbyTrust = 32;  // samples, before what is near is believed
  static constexpr HistogramIndex kBegin = -kHistogramIndexMax - 1;
  static constexpr HistogramIndex kEnd = kHistogramIndexMax + 1;
  // Counts expected below 1.5 are told in unary, others by their distance.
  static constexpr uint64_t kUnaryBelow = kOne + kOne / 2;
  static constexpr size_t kUnaryMax = 16;
  static constexpr size_t kGroup = 4;                // places told to be empty by one decision, if fewer
  static constexpr uint64_t kGroupBelow = kOne / 2;  // samples than these are expected of them
  static constexpr uint64_t kTreeSize = 32;

  struct Mean {
    HistogramIndex index = 0;
    uint64_t mean = 0;
  };
  // Where samples may be: buckets with a mean, and their neighbours.
  struct Place {
    HistogramIndex index = 0;
    uint64_t mean = 0;
    uint64_t smooth = 0;  // means of the bucket, twice, and of its neighbours: by 4
  };

  // places_ of means_.
  void arrange() {
    if (room_.size() < 3 * means_.size()) room_.resize(4 * means_.size());
    Place* end = room_.data();
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
    places_ = std::span(room_).first(static_cast<size_t>(end - room_.data()));
    next_.reserve(places_.size());
  }

  bool code_count(uint64_t count) {
    const uint64_t told = counts_.code(coder_, fold(count - count_before_));
    left_ = count_before_ + unfold(told);
    count_before_ = left_;
    return left_ > 0 && left_ <= SparseHistogram::kCountMax;
  }

  // By how much more there is left of the slot's samples than of the places' means; and by how much more
  // there was than expected in the places before, as far as that is believed.
  void look_back() {
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
  // Of a number of samples and a factor, in 2^-16 each; no more than there are left.
  uint64_t expected(uint64_t mean, uint64_t factor) const {
    const uint64_t most = std::min(left_, kExpectedMax) << kPoint;
    const Uint128 out = (Uint128{mean} * factor) >> kPoint;
    return out < most ? static_cast<uint64_t>(out) : most;
  }
  // About 2^(width + 16) / number, of which `width` is the width. Requires: width >= kInverseBits.
  static uint64_t inverse(uint64_t number, int width) { return kInverse[number >> (width - kInverseBits)]; }

  // Samples in buckets that had none of late, between the last one told and `end`.
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
      if (!tell(cell)) return false;
      next_.push_back({cell.index, std::min(cell.count, kSeenMax) * share_});
      neighbour_ = 1;
    }
    return left_ == 0 || end != kEnd;
  }

  bool is_group(size_t k) const {
    return k + kGroup <= places_.size() &&
           places_[k + kGroup - 1].index == places_[k].index + static_cast<HistogramIndex>(kGroup) - 1;
  }
  // Whether a group of places is told to be empty; false too when it is not told at all.
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
    const bool is_told = !cells_.empty() && cells_.front().index == place.index;
    const uint64_t told = is_told ? cells_.front().count : 0;
    const uint64_t usual = is_rough_ ? place.mean : place.smooth;
    const uint64_t mean = expected(usual, factor_);
    const uint64_t without_nearby = std::min(expected(usual, load_), kSeenMax << kPoint);
    const uint64_t count = mean < kUnaryBelow ? code_few(told, mean) : code_many(told, mean);
    last_ = place.index;
    if (count > 0 && !tell({place.index, count})) return false;
    neighbour_ = std::min<uint64_t>((count + 1) / 2, 2);
    constexpr int kToNearby = kPoint - kNearbyPoint;
    nearby_ += (std::min(count, kSeenMax) << kNearbyPoint) - nearby_ / 8;
    nearby_expected_ += (without_nearby >> kToNearby) - nearby_expected_ / 8;
    learn(place, count);
    return true;
  }

  uint64_t code_few(uint64_t told, uint64_t mean) {
    auto& more = more_[quarter_octave(mean)];
    for (size_t n = 0; n < kUnaryMax; ++n) {
      if (!coder_.decide(told > n, more[n][n < 2 ? neighbour_ : 0])) return n;
    }
    return kUnaryMax + escapes_.code(coder_, told - kUnaryMax);
  }

  // The distance to the mean in steps: as many to a standard deviation of Poisson's as 32 of them cover four,
  // and coarser while counts come out farther away.
  uint64_t code_many(uint64_t told, uint64_t mean) {
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
    const uint64_t step = told < from ? 0 : std::min((told - from) >> shift, kTreeSize - 1);
    uint64_t node = 1;
    for (int bit = 4; bit >= 0; --bit)
      node = node << 1 | uint64_t{coder_.decide((step >> bit & 1) != 0, tree[node])};
    node -= kTreeSize;
    uint64_t count = 0;
    if (node == kTreeSize - 1) {
      const uint64_t least = from + (node << shift);
      count = least + escapes_.code(coder_, told - least);
    } else if (node == 0 && from > 0) {
      const uint64_t most = from + (uint64_t{1} << shift) - 1;
      count = most - escapes_.code(coder_, most - told);
    } else {
      count = from + Magnitudes::append_plain(coder_, node, told - from, shift);
    }
    const uint64_t distance = (count > whole ? count - whole : whole - count) >> fine;
    surprise_ += std::min<uint64_t>(distance, 1000) - surprise_ / 8;
    return count;
  }

  // A cell is told: false when it cannot be true.
  bool tell(const Cell& cell) {
    if (cell.count == 0 || cell.count > left_) return false;
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
  // Neighbours tell of a bucket what chance has hidden, unless values are of few kinds: what had the smaller
  // error in the last slots is believed in the next.
  void conclude() {
    is_rough_ = rough_error_ < smooth_error_;
    rough_error_ -= rough_error_ / 4;
    smooth_error_ -= smooth_error_ / 4;
    std::swap(means_, next_);
  }

  // Classes of a mean: below 2^-10, then four to each doubling.
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

  // The slot being told.
  std::span<const Cell> cells_;   // encoder: what is left to tell
  std::vector<Cell> read_;        // decoder: what is told
  uint64_t left_ = 0;             // samples
  uint64_t mean_left_ = 0;        // of the places that are left
  HistogramIndex last_ = kBegin;  // up to here all is told
  size_t neighbour_ = 0;          // count of the bucket before: 0, few, more
  uint64_t nearby_ = 0;           // samples in the last places or so, and how many were expected
  uint64_t nearby_expected_ = 0;
  uint64_t load_ = kOne;    // as look_back() found, in 2^-16
  uint64_t factor_ = kOne;  // of means, to what is expected
  std::vector<Place> room_;
  std::span<const Place> places_;  // in it
  std::vector<Mean> next_;

  // What was learnt.
  uint64_t share_ = kOne;  // of a slot in the means
  uint64_t slots_ = 0;
  std::vector<Mean> means_;  // ascending
  uint64_t count_before_ = 0;
  uint64_t surprise_ = 0;  // 8 times the mean distance of counts to what was expected, in fine steps
  bool is_rough_ = false;  // means are believed as they are, not smoothed
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
