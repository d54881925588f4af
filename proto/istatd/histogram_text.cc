#include "proto/istatd/histogram_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "proto/line_text.h"
#include "statmill/h2.h"

namespace statmill {
namespace {

constexpr uint64_t kCountMax = (uint64_t{1} << 48) - 1;  // of all cells together
constexpr size_t kCellBytesMin = 4;                      // "0:1 "
// Grouping power 5 yields the most cells; our partition joins finer ones. So one allocation is enough.
constexpr size_t kCellsMax = size_t{64 - kHistogramGroupingPower + 1} << kHistogramGroupingPower;

// Reads one or more digits. Returns the largest 64-bit integer if the number does
// not fit; nullopt if there is no digit.
std::optional<uint64_t> read_digits(const char*& at, const char* end) {
  const char* const begin = at;
  uint64_t value = 0;
  bool fits = true;
  for (; at != end && '0' <= *at && *at <= '9'; ++at) {
    fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
           !__builtin_add_overflow(value, static_cast<uint64_t>(*at - '0'), &value);
  }
  if (at == begin) return std::nullopt;
  return fits ? value : ~uint64_t{0};
}

struct H2Cell {
  uint64_t index = 0;
  uint64_t count = 0;
};

// Reads `index:count` followed by white space or the end of the text. Returns nullopt if it is anything else.
std::optional<H2Cell> read_h2_cell(const char*& at, const char* end) {
  const auto index = read_digits(at, end);
  if (!index || at == end || *at != ':') return std::nullopt;
  const auto count = read_digits(++at, end);
  if (!count || (at != end && !is_space(*at))) return std::nullopt;
  return H2Cell{*index, *count};
}

// Rounds to an integer if a decimal can hold it. Sums of squares are estimates, so the fraction carries no
// information, and buckets of decimals stay exact.
Number whole_number(double value) {
  constexpr auto kEnd = static_cast<double>(Number::kMantissaMax);  // rounded up
  return value < kEnd ? Number::decimal(std::llround(value), 0) : Number::of(value);
}

Number whole_number(uint64_t value) {
  constexpr auto kMax = static_cast<uint64_t>(Number::kMantissaMax);
  if (value > kMax) return Number::of(static_cast<double>(value));
  return Number::decimal(static_cast<int64_t>(value), 0);
}

// Collects cells in ascending order into a ready-made bucket.
class CellsReader {
 public:
  CellsReader(unsigned grouping_power, size_t text_size)
      : power_(grouping_power), bucket_count_(h2::bucket_count(grouping_power, 64)) {
    cells_.reserve(std::min(kCellsMax, text_size / kCellBytesMin + 1));
  }

  Verdict<Refusal> add(const H2Cell& cell) {
    if (cell.index >= bucket_count_) return Refusal::kOutOfRange;
    if (cell.index < next_ || cell.count == 0 || cell.count > kCountMax - count_) return Refusal::kBadBucket;
    const uint64_t least = h2::lower_bound(power_, cell.index);
    greatest_ = h2::upper_bound(power_, cell.index);
    const double middle = static_cast<double>(least) + static_cast<double>(greatest_ - least) / 2;
    if (next_ == 0) least_ = least;
    next_ = cell.index + 1;
    count_ += cell.count;
    squares_ += static_cast<double>(cell.count) * middle * middle;
    put(histogram_index(middle), cell.count);
    return kAccepted;
  }

  void finish(Batch& batch, ReadyBucket& ready) && {
    ready.count = count_;
    ready.sum_of_squares = whole_number(squares_);
    ready.min = whole_number(least_);
    ready.max = whole_number(greatest_);
    ready.cells = batch.keep(std::move(cells_));
  }

 private:
  void put(HistogramIndex index, uint64_t count) {
    if (!cells_.empty() && cells_.back().index == index) {
      cells_.back().count += count;
    } else {
      cells_.push_back({index, count});
    }
  }

  const unsigned power_;
  const uint64_t bucket_count_;
  std::vector<HistogramCell> cells_;
  uint64_t next_ = 0;  // the smallest index that may follow; 0: no cell yet
  uint64_t count_ = 0;
  uint64_t least_ = 0;
  uint64_t greatest_ = 0;
  double squares_ = 0;
};

}  // namespace

std::optional<unsigned> read_grouping_power(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || text.front() != 'h') return std::nullopt;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  const auto power = read_digits(at, end);
  if (!power || at != end || *power > kGroupingPowerMax) return std::nullopt;
  return static_cast<unsigned>(*power);
}

Verdict<Refusal> read_histogram_cells(std::string_view text, unsigned grouping_power, Batch& batch,
                                      ReadyBucket& ready) {
  CellsReader cells(grouping_power, text.size());
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) break;
    const auto cell = read_h2_cell(at, end);
    if (!cell) return Refusal::kBadValue;
    if (const auto verdict = cells.add(*cell); verdict.is_refused()) return verdict;
  }
  std::move(cells).finish(batch, ready);
  return kAccepted;
}

}  // namespace statmill
