// Each write_x is followed by its read_x. Differences are modulo 2^64.
#include "storage/codec/bucket_columns.h"

#include <algorithm>
#include <bit>

#include "storage/codec/column.h"
#include "storage/codec/residuals.h"

namespace statmill {
namespace {

uint64_t bits_of(int64_t v) { return static_cast<uint64_t>(v); }

// Requires: divisor > 0.
int64_t floor_divide(int64_t a, uint64_t divisor) {
  const auto b = static_cast<int64_t>(divisor);
  return a / b - (a % b < 0 ? 1 : 0);
}

// Maps doubles to integers of the same order, -0 before 0.
int64_t ordered(double v) {
  const auto bits = std::bit_cast<uint64_t>(v);
  const uint64_t magnitude = bits & (UINT64_MAX >> 1);
  return static_cast<int64_t>((bits >> 63) != 0 ? ~magnitude : magnitude);
}
double from_ordered(int64_t v) {
  return std::bit_cast<double>(v < 0 ? ~bits_of(v) | uint64_t{1} << 63 : bits_of(v));
}

// Writes a number below `limit` in the fewest whole bits (truncated binary code).
void put_below(BitWriter& out, uint64_t number, uint64_t limit) {
  const int bits = width_of(limit - 1);
  if (bits == 0) return;
  const uint64_t shorter = (uint64_t{1} << bits) - limit;  // this many numbers need one bit less
  if (number < shorter) return out.put(number, bits - 1);
  out.put((number + shorter) >> 1, bits - 1);
  out.put((number + shorter) & 1, 1);
}

uint64_t get_below(BitReader& in, uint64_t limit) {
  const int bits = width_of(limit - 1);
  if (bits == 0) return 0;
  const uint64_t shorter = (uint64_t{1} << bits) - limit;
  const uint64_t head = in.get(bits - 1);
  return head < shorter ? head : (head << 1 | in.get(1)) - shorter;
}

bool are_equal(SpreadForm form, uint64_t count, int64_t sum, int64_t min) {
  return form == SpreadForm::kIntegers && sum == min * Int128{static_cast<int64_t>(count)};
}

}  // namespace

void write_slots(BitWriter& out, const std::vector<Slot>& slots) {
  std::vector<uint64_t> gaps(slots.size() - 1);
  for (size_t i = 1; i < slots.size(); ++i) gaps[i - 1] = bits_of(slots[i] - slots[i - 1] - 1);
  encode_residuals(out, gaps);
}

bool read_slots(BitReader& in, Slot end, std::vector<Slot>& slots) {
  std::vector<uint64_t> gaps(slots.size() - 1);
  if (!decode_residuals(in, gaps)) return false;
  for (size_t i = 1; i < slots.size(); ++i) {
    if (gaps[i - 1] >= bits_of(end - slots[i - 1] - 1)) return false;
    slots[i] = slots[i - 1] + 1 + static_cast<Slot>(gaps[i - 1]);
  }
  return true;
}

void write_counts(BitWriter& out, const std::vector<uint64_t>& counts) {
  const std::vector<int64_t> column(counts.begin(), counts.end());
  encode_column(out, column);
}

bool read_counts(BitReader& in, std::vector<uint64_t>& counts) {
  std::vector<int64_t> column(counts.size());
  if (!decode_column(in, column)) return false;
  std::copy(column.begin(), column.end(), counts.begin());
  return std::all_of(counts.begin(), counts.end(),
                     [](uint64_t n) { return n > 0 && n <= Bucket::kCountMax; });
}

void write_means(BitWriter& out, const DecimalColumns& c) {
  std::vector<int64_t> means(c.size());
  for (size_t i = 0; i < c.size(); ++i) means[i] = floor_divide(c.sums[i], c.counts[i]);
  encode_column(out, means);
  for (size_t i = 0; i < c.size(); ++i) {
    put_below(out, bits_of(c.sums[i]) - bits_of(means[i]) * c.counts[i], c.counts[i]);
  }
}

bool read_means(BitReader& in, DecimalColumns& c) {
  if (!decode_column(in, c.sums)) return false;
  for (size_t i = 0; i < c.size(); ++i) {
    const uint64_t rest = get_below(in, c.counts[i]);
    if (__builtin_mul_overflow(c.sums[i], static_cast<int64_t>(c.counts[i]), &c.sums[i]) ||
        __builtin_add_overflow(c.sums[i], static_cast<int64_t>(rest), &c.sums[i])) {
      return false;
    }
  }
  return !in.overrun();
}

void write_extremes(BitWriter& out, SpreadForm form, const DecimalColumns& c) {
  std::vector<int64_t> below;
  std::vector<int64_t> above;
  for (size_t i = 0; i < c.size(); ++i) {
    const uint64_t n = c.counts[i];
    if (n < 2) continue;
    const uint64_t mean = bits_of(floor_divide(c.sums[i], n));
    below.push_back(static_cast<int64_t>(mean - bits_of(c.mins[i])));
    if (n > 2 && !are_equal(form, n, c.sums[i], c.mins[i]))
      above.push_back(static_cast<int64_t>(bits_of(c.maxs[i]) - mean));
  }
  if (!below.empty()) encode_column(out, below);
  if (!above.empty()) encode_column(out, above);
}

bool read_extremes(BitReader& in, SpreadForm form, DecimalColumns& c) {
  const auto many = std::count_if(c.counts.begin(), c.counts.end(), [](uint64_t n) { return n > 1; });
  std::vector<int64_t> column(static_cast<size_t>(many));
  if (!column.empty() && !decode_column(in, column)) return false;
  size_t next = 0;
  std::vector<uint32_t> open;  // the buckets whose max is not known yet
  for (size_t i = 0; i < c.size(); ++i) {
    const uint64_t n = c.counts[i];
    if (n == 1) {
      c.mins[i] = c.maxs[i] = c.sums[i];
      continue;
    }
    const uint64_t mean = bits_of(floor_divide(c.sums[i], n));
    c.mins[i] = static_cast<int64_t>(mean - bits_of(column[next++]));
    if (are_equal(form, n, c.sums[i], c.mins[i])) {
      c.maxs[i] = c.mins[i];
    } else if (n == 2) {
      c.maxs[i] = static_cast<int64_t>(bits_of(c.sums[i]) - bits_of(c.mins[i]));
    } else {
      c.maxs[i] = static_cast<int64_t>(mean);
      open.push_back(static_cast<uint32_t>(i));
    }
  }
  column.resize(open.size());
  if (!column.empty() && !decode_column(in, column)) return false;
  for (size_t i = 0; i < open.size(); ++i) {
    int64_t& max = c.maxs[open[i]];
    max = static_cast<int64_t>(bits_of(max) + bits_of(column[i]));
  }
  return true;
}

void write_doubles(BitWriter& out, const std::vector<double>& numbers) {
  std::vector<int64_t> column(numbers.size());
  std::transform(numbers.begin(), numbers.end(), column.begin(), ordered);
  encode_column(out, column);
}

bool read_doubles(BitReader& in, std::vector<double>& numbers) {
  std::vector<int64_t> column(numbers.size());
  if (!decode_column(in, column)) return false;
  std::transform(column.begin(), column.end(), numbers.begin(), from_ordered);
  return true;
}

}  // namespace statmill
