#include "ingest/statsd/unique_count.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace statmill {
namespace {

constexpr int kRankBits = 64 - UniqueCount::kRegisterBits;  // bits of a hash after the register's number

// The sums of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), section 3: sigma
// for the registers at zero, tau for those at the maximum. Both end when a term no longer changes the sum.
double sigma(double x) {  // x + sum of x^(2^k) 2^(k-1), 0 <= x < 1
  double sum = x;
  double weight = 1;
  for (double before = -1; sum != before; weight *= 2) {
    x *= x;
    before = sum;
    sum += x * weight;
  }
  return sum;
}

double tau(double x) {  // (1 - x - sum of (1 - x^(2^-k))^2 2^-k) / 3, 0 <= x <= 1
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  double weight = 0.5;
  for (double before = -1; sum != before; weight /= 2) {
    x = std::sqrt(x);
    before = sum;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

void UniqueCount::add(uint64_t hash) {
  if (!is_exact()) return note(hash);
  const auto at = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
  if (at != hashes_.end() && *at == hash) return;
  if (hashes_.size() < kExactMax) {
    hashes_.insert(at, hash);
    return;
  }
  registers_.resize(kRegisters);
  for (const uint64_t known : hashes_) note(known);
  hashes_ = {};
  note(hash);
}

void UniqueCount::note(uint64_t hash) {
  const uint64_t rest = hash << kRegisterBits;
  const int rank = std::min(std::countl_zero(rest), kRankBits) + 1;
  uint8_t& longest = registers_[hash >> kRankBits];
  longest = std::max(longest, static_cast<uint8_t>(rank));
}

uint64_t UniqueCount::count() const {
  if (is_exact()) return hashes_.size();
  std::array<double, kRankBits + 2> registers_at{};
  for (const uint8_t rank : registers_) ++registers_at[rank];
  constexpr auto kAll = static_cast<double>(kRegisters);
  double z = kAll * tau(1 - registers_at[kRankBits + 1] / kAll);
  for (size_t rank = kRankBits; rank >= 1; --rank) z = (z + registers_at[rank]) / 2;
  z += kAll * sigma(registers_at[0] / kAll);
  return static_cast<uint64_t>(std::llround(kAll * kAll / (2 * std::numbers::ln2 * z)));
}

}  // namespace statmill
