#include "storage/codec/residuals.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/int128.h"

namespace statmill {
namespace {

constexpr int kOrderBits = 3;
constexpr int kOrderMax = 7;
constexpr size_t kPartMin = 32;  // numbers of a part: its head costs 6 bits
constexpr int kModeBits = 6;
constexpr uint64_t kAllZero = 62;  // modes below: the Rice parameter
constexpr uint64_t kSparse = 63;
constexpr int kParameterMax = 61;

struct Part {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

Part part_of(size_t count, int order, size_t i) { return {i * count >> order, (i + 1) * count >> order}; }

// The numbers from which the cost of a part is estimated.
struct Totals {
  Uint128 sum = 0;
  uint64_t count = 0;
  uint64_t nonzero = 0;

  Totals& operator+=(const Totals& other) {
    sum += other.sum;
    count += other.count;
    nonzero += other.nonzero;
    return *this;
  }
};

Totals totals_of(std::span<const uint64_t> numbers) {
  Totals t{0, numbers.size(), 0};
  for (const uint64_t n : numbers) {
    t.sum += n;
    t.nonzero += n != 0 ? 1 : 0;
  }
  return t;
}

// Returns about the best Rice parameter for numbers of this mean: the largest k with 2^k <= ln 2 * mean.
int parameter_for(Uint128 sum, uint64_t count) {
  if (count == 0) return 0;
  const Uint128 mean = sum * 177 / (Uint128{count} * 256);  // 177/256 is ln 2
  const auto high = static_cast<uint64_t>(mean >> 64);
  const int width = high != 0 ? 64 : width_of(static_cast<uint64_t>(mean));
  return std::clamp(width - 1, 0, kParameterMax);
}

// Returns the bits of `count` numbers with this sum, if their distribution is the one that Rice codes suit.
uint64_t rice_estimate(Uint128 sum, uint64_t count) {
  const int k = parameter_for(sum, count);
  const Uint128 halves = Uint128{count} << k >> 1;
  const Uint128 over = sum > halves ? (sum - halves) >> k : 0;
  return count * static_cast<uint64_t>(k + 1) +
         static_cast<uint64_t>(std::min<Uint128>(over, Uint128{count} * 90));
}

uint64_t sparse_estimate(const Totals& t) {
  const uint64_t gaps = t.count - t.nonzero;
  return 24 + rice_estimate(gaps, t.nonzero) + rice_estimate(t.sum - t.nonzero, t.nonzero);
}

bool is_sparse(const Totals& t) {
  return 4 * t.nonzero < t.count && sparse_estimate(t) < rice_estimate(t.sum, t.count);
}

uint64_t estimate(const Totals& t) {
  if (t.nonzero == 0) return kModeBits;
  const uint64_t rice = rice_estimate(t.sum, t.count);
  return kModeBits + (is_sparse(t) ? sparse_estimate(t) : rice);
}

// Returns the order, 2^order parts, with the lowest estimated cost.
int choose_order(std::span<const uint64_t> numbers) {
  int order = 0;
  while (order < kOrderMax && numbers.size() >> (order + 1) >= kPartMin) ++order;
  std::array<Totals, size_t{1} << kOrderMax> totals;
  for (size_t i = 0; i < size_t{1} << order; ++i) {
    const Part part = part_of(numbers.size(), order, i);
    totals[i] = totals_of(numbers.subspan(part.begin, part.size()));
  }
  int best = 0;
  uint64_t best_bits = UINT64_MAX;
  for (;; --order) {
    const size_t parts = size_t{1} << order;
    uint64_t bits = 0;
    for (size_t i = 0; i < parts; ++i) bits += estimate(totals[i]);
    if (bits <= best_bits) {
      best = order;
      best_bits = bits;
    }
    if (order == 0) return best;
    for (size_t i = 0; i < parts / 2; ++i) {
      totals[i] = totals[2 * i];
      totals[i] += totals[2 * i + 1];
    }
  }
}

uint64_t rice_total(std::span<const uint64_t> numbers, int k) {
  uint64_t bits = numbers.size() * static_cast<uint64_t>(k + 1);
  for (const uint64_t n : numbers) bits += std::min<uint64_t>(n >> k, 90);
  return bits;
}

// Returns the best of the estimated parameter and its neighbours.
int choose_parameter(std::span<const uint64_t> numbers, const Totals& t) {
  const int guess = parameter_for(t.sum, t.count);
  int best = guess;
  uint64_t best_bits = rice_total(numbers, guess);
  for (int step : {-1, 1}) {
    for (int k = guess + step; k >= 0 && k <= kParameterMax; k += step) {
      const uint64_t bits = rice_total(numbers, k);
      if (bits >= best_bits) break;
      best = k;
      best_bits = bits;
    }
  }
  return best;
}

int bits_for_count(size_t count) { return width_of(count); }

void encode_sparse(BitWriter& out, std::span<const uint64_t> numbers, const Totals& t) {
  const int gap_k = parameter_for(t.count - t.nonzero, t.nonzero);
  const int number_k = parameter_for(t.sum - t.nonzero, t.nonzero);
  out.put(t.nonzero, bits_for_count(numbers.size()));
  out.put(static_cast<uint64_t>(gap_k), kModeBits);
  out.put(static_cast<uint64_t>(number_k), kModeBits);
  uint64_t gap = 0;
  for (const uint64_t n : numbers) {
    if (n == 0) {
      ++gap;
      continue;
    }
    put_rice(out, gap, gap_k);
    put_rice(out, n - 1, number_k);
    gap = 0;
  }
}

bool decode_sparse(BitReader& in, std::span<uint64_t> numbers) {
  const uint64_t nonzero = in.get(bits_for_count(numbers.size()));
  const auto gap_k = static_cast<int>(in.get(kModeBits));
  const auto number_k = static_cast<int>(in.get(kModeBits));
  std::fill(numbers.begin(), numbers.end(), 0);
  uint64_t next = 0;
  for (uint64_t i = 0; i < nonzero; ++i, ++next) {
    const uint64_t gap = get_rice(in, gap_k);
    const uint64_t number = get_rice(in, number_k);
    if (gap >= numbers.size() - next || number == UINT64_MAX) return false;
    next += gap;
    numbers[next] = number + 1;
    if (next + 1 == numbers.size() && i + 1 < nonzero) return false;
  }
  return !in.overrun();
}

void encode_part(BitWriter& out, std::span<const uint64_t> numbers) {
  const Totals t = totals_of(numbers);
  if (t.nonzero == 0) return out.put(kAllZero, kModeBits);
  if (is_sparse(t)) {
    out.put(kSparse, kModeBits);
    return encode_sparse(out, numbers, t);
  }
  const int k = choose_parameter(numbers, t);
  out.put(static_cast<uint64_t>(k), kModeBits);
  for (const uint64_t n : numbers) put_rice(out, n, k);
}

// Decodes kBatch codes of each word that is read, so that a code does not wait for a load. If they do not fit
// into the word, or one of them is not plain, they are read again one by one. Requires: kBatch = 1 or k
// <= 22.
template <size_t kBatch>
void decode_rice(BitReader& in, int k, std::span<uint64_t> numbers) {
  constexpr int kZerosMax = 15;  // `seen` has no bit above if each of them is at most this
  static_assert(kZerosMax < kUnaryMax);
  const uint64_t mask = (uint64_t{1} << k) - 1;
  uint64_t* to = numbers.data();
  uint64_t* const end = to + numbers.size();
  for (; static_cast<size_t>(end - to) >= kBatch; to += kBatch) {
    uint64_t word = in.peek();
    int bits = 0;
    int seen = 0;
    for (size_t j = 0; j < kBatch; ++j) {
      const int zeros = std::countr_zero(word | uint64_t{1} << kUnaryMax);
      to[j] = static_cast<uint64_t>(zeros) << k | (word >> (zeros + 1) & mask);
      word >>= zeros + 1 + k;
      bits += zeros + 1 + k;
      seen |= zeros;
    }
    if (bits <= BitWriter::kBitsMax && seen <= kZerosMax) [[likely]] {
      in.skip(bits);
    } else {
      for (size_t j = 0; j < kBatch; ++j) to[j] = get_rice(in, k);
    }
  }
  for (; to < end; ++to) *to = get_rice(in, k);
}

bool decode_part(BitReader& in, std::span<uint64_t> numbers) {
  const uint64_t mode = in.get(kModeBits);
  if (mode == kSparse) return decode_sparse(in, numbers);
  if (mode == kAllZero) {
    std::fill(numbers.begin(), numbers.end(), 0);
    return true;
  }
  const auto k = static_cast<int>(mode);
  // As many codes as nearly always fit into a word: a code has k + 2 bits on average, few have k + 5.
  constexpr int kFourMax = 9;
  constexpr int kTwoMax = 22;
  if (k <= kFourMax) {
    decode_rice<4>(in, k, numbers);
  } else if (k <= kTwoMax) {
    decode_rice<2>(in, k, numbers);
  } else {
    for (uint64_t& n : numbers) n = get_rice(in, k);
  }
  return !in.overrun();
}

}  // namespace

void encode_residuals(BitWriter& out, std::span<const uint64_t> numbers) {
  if (numbers.empty()) return;
  const int order = choose_order(numbers);
  out.put(static_cast<uint64_t>(order), kOrderBits);
  for (size_t i = 0; i < size_t{1} << order; ++i) {
    const Part part = part_of(numbers.size(), order, i);
    encode_part(out, numbers.subspan(part.begin, part.size()));
  }
}

bool decode_residuals(BitReader& in, std::span<uint64_t> numbers) {
  if (numbers.empty()) return true;
  const auto order = static_cast<int>(in.get(kOrderBits));
  if (order > 0 && numbers.size() >> order < kPartMin) return false;
  for (size_t i = 0; i < size_t{1} << order; ++i) {
    const Part part = part_of(numbers.size(), order, i);
    if (!decode_part(in, numbers.subspan(part.begin, part.size()))) return false;
  }
  return true;
}

}  // namespace statmill
