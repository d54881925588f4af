#include "tests/storage/buckets.h"

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <map>

#include "storage/bucket_check.h"

namespace statmill {

std::ostream& operator<<(std::ostream& out, const Bucket& bucket) {
  if (bucket.is_empty()) return out << "{}";
  const auto [sum, m2, min, max] = bucket.real();
  out << (bucket.is_decimal() ? "{decimal" : "{real") << " count=" << bucket.count() << " sum=" << sum
      << " m2=" << m2;
  return out << " min=" << min << " max=" << max << "}";
}
std::ostream& operator<<(std::ostream& out, const SlotBucket& b) { return out << b.slot << ":" << b.bucket; }

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string unhex(std::string_view digits) {
  std::string out;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return out;
}

rc::Gen<Number> small_decimals() {
  return rc::gen::apply([](int64_t mantissa, int8_t scale) { return Number::decimal(mantissa, scale); },
                        rc::gen::inRange<int64_t>(-1'000'000, 1'000'000), rc::gen::inRange<int8_t>(0, 4));
}

rc::Gen<Number> any_numbers() {
  return rc::gen::oneOf(
      small_decimals(),
      rc::gen::apply([](int64_t mantissa, int8_t scale) { return Number::decimal(mantissa, scale); },
                     rc::gen::inRange<int64_t>(-Number::kMantissaMax, Number::kMantissaMax),
                     rc::gen::inRange<int8_t>(0, Number::kScaleMax + 1)),
      rc::gen::map(rc::gen::suchThat(rc::gen::arbitrary<double>(), [](double v) { return std::isfinite(v); }),
                   [](double v) { return Number::of(v); }),
      rc::gen::elementOf(std::vector<Number>{Number::of(-0.0), Number::of(std::numeric_limits<double>::max()),
                                             Number::of(std::numeric_limits<double>::denorm_min())}));
}

Bucket merged(const std::vector<Number>& numbers) {
  Bucket bucket;
  for (const Number& n : numbers) bucket.merge(Bucket::of(n));
  return bucket;
}

rc::Gen<Bucket> exact_buckets() {
  return rc::gen::oneOf(
      rc::gen::map(small_decimals(), [](const Number& n) { return Bucket::of(n); }),
      rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<Number>>(small_decimals())), merged));
}

std::vector<Bucket> extreme_buckets() {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kBig = int64_t{1} << 62;
  const Int128 big_square = Int128{kBig} * kBig;
  return {
      Bucket::from_decimal(1, single_decimal(kMin, 0)),
      Bucket::from_decimal(1, single_decimal(kMax, 18)),
      Bucket::from_decimal(1, single_decimal(0, 18)),
      Bucket::from_decimal(4, {0, 3 * big_square, -kBig, kBig, 3}),  // n Q is over 128 bits
      Bucket::from_decimal(3, {0, 2 * big_square, -kBig, kBig, 0}),
      Bucket::from_decimal(3, {6, 15, 1, 3, 0}),      // from a sender: no three integers have these squares
      Bucket::from_decimal(4, {4, 20, 1, 3, 0}),      // rounded: a sum of n min, but a greater max
      Bucket::from_decimal(10, {55, 386, 1, 10, 0}),  // nor have ten integers: an odd sum has odd squares
      Bucket::from_decimal(Bucket::kCountMax - 1, {0, 0, 0, 0, 0}),
      Bucket::from_decimal(Bucket::kCountMax - 1,
                           {int64_t{Bucket::kCountMax - 1} * 7, Int128{Bucket::kCountMax - 1} * 49, 7, 7, 2}),
      Bucket::from_real(Bucket::kCountMax, {1e300, 1e308, -1e300, 1e300}),
      Bucket::from_real(1, {1, 0, 1, 1}),
  };
}

rc::Gen<Bucket> any_buckets() {
  return rc::gen::oneOf(
      exact_buckets(), rc::gen::map(any_numbers(), [](const Number& n) { return Bucket::of(n); }),
      rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<Number>>(any_numbers())), merged),
      rc::gen::elementOf(extreme_buckets()));
}

rc::Gen<std::vector<SlotBucket>> slot_buckets(Slot begin, Slot end, const rc::Gen<Bucket>& buckets) {
  // Not rc::gen::unique: it fails if it wants more slots than exist.
  const auto pairs = rc::gen::container<std::vector<std::pair<Slot, Bucket>>>(
      rc::gen::pair(rc::gen::inRange<Slot>(begin, end), buckets));
  return rc::gen::map(pairs, [](const std::vector<std::pair<Slot, Bucket>>& some) {
    const std::map<Slot, Bucket> by_slot(some.begin(), some.end());
    std::vector<SlotBucket> out;
    for (const auto& [slot, bucket] : by_slot) out.push_back({slot, bucket});
    return out;
  });
}

}  // namespace statmill
