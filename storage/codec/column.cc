#include "storage/codec/column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/bytes.h"
#include "storage/codec/residuals.h"

namespace statmill {
namespace {

// Stored on disk: never renumber. c is a parameter in the bits, the median of what the predictor works on.
enum class Predictor : uint8_t {
  kConstant = 0,  // all values are c
  kCenter = 1,    // c: noise around a level
  kDelta = 2,     // x[i-1] + c: a walk, or a counter that grows by about c
  kDelta2 = 3,    // x[i-1] + (x[i-1] - x[i-2]): a trend
  kHalf = 4,      // c + (x[i-1] - c) / 2: noise that fades
  kQuarter3 = 5,  // c + (x[i-1] - c) 3 / 4
};
constexpr size_t kPredictors = 6;
constexpr int kPredictorBits = 3;

uint64_t bits_of(int64_t v) { return static_cast<uint64_t>(v); }
int64_t value_of(uint64_t bits) { return static_cast<int64_t>(bits); }

uint64_t half_of(uint64_t d) { return bits_of(value_of(d) >> 1); }
uint64_t quarter3_of(uint64_t d) { return d - bits_of(value_of(d) >> 2); }

// Returns the median of at most kSample values at even distances: close enough, at a fixed cost.
template <class ValueAt>
uint64_t middle(size_t begin, size_t end, ValueAt value_at) {
  constexpr size_t kSample = 31;
  std::array<int64_t, kSample> sample;
  const size_t count = std::min(kSample, end - begin);
  if (count == 0) return 0;
  for (size_t i = 0; i < count; ++i) sample[i] = value_at(begin + i * (end - begin) / count);
  const auto mid = sample.begin() + static_cast<ptrdiff_t>(count / 2);
  std::nth_element(sample.begin(), mid, sample.begin() + static_cast<ptrdiff_t>(count));
  return bits_of(*mid);
}

struct Choice {
  Predictor predictor = Predictor::kCenter;
  uint64_t c = 0;
};

// Estimates the cost as the total width of the residuals; of long columns only a few stretches are looked at.
Choice choose(std::span<const int64_t> x) {
  constexpr size_t kStretch = 128;
  constexpr size_t kStretches = 4;
  const uint64_t level = middle(0, x.size(), [&](size_t i) { return x[i]; });
  const uint64_t growth =
      middle(1, x.size(), [&](size_t i) { return value_of(bits_of(x[i]) - bits_of(x[i - 1])); });
  std::array<uint64_t, kPredictors> cost{};
  const auto judge = [&](size_t begin, size_t end) {
    uint64_t before_last = bits_of(x[begin]);
    uint64_t last = bits_of(x[begin + 1]);
    for (size_t i = begin + 2; i < end; ++i) {
      const uint64_t now = bits_of(x[i]);
      const auto length = [](uint64_t residual) { return static_cast<uint64_t>(width_of(zigzag(residual))); };
      cost[1] += length(now - level);
      cost[2] += length(now - last - growth);
      cost[3] += length(now - last - (last - before_last));
      cost[4] += length(now - level - half_of(last - level));
      cost[5] += length(now - level - quarter3_of(last - level));
      before_last = last;
      last = now;
    }
  };
  if (x.size() <= kStretches * kStretch) {
    if (x.size() > 2) judge(0, x.size());
  } else {
    for (size_t s = 0; s < kStretches; ++s) {
      const size_t begin = (x.size() - kStretch) * s / (kStretches - 1);
      judge(begin, begin + kStretch);
    }
  }
  const auto best = std::min_element(cost.begin() + 1, cost.end()) - cost.begin();
  const auto predictor = static_cast<Predictor>(best);
  if (predictor == Predictor::kDelta2) return {predictor, 0};
  return {predictor, predictor == Predictor::kDelta ? growth : level};
}

// Both directions of a predictor, in place: residuals from values, values from residuals. `predict` returns
// the expected value, given the last value and the one before it.
template <class Foretell>
void take_residuals(std::span<const int64_t> x, std::vector<uint64_t>& out, Foretell predict) {
  uint64_t before_last = 0;
  uint64_t last = bits_of(x[0]);
  for (size_t i = 1; i < x.size(); ++i) {
    out[i - 1] = zigzag(bits_of(x[i]) - predict(last, before_last, i));
    before_last = last;
    last = bits_of(x[i]);
  }
}

// x[i] is residual i - 1 before, and value i after.
template <class Foretell>
void give_values(std::span<int64_t> x, Foretell predict) {
  uint64_t before_last = 0;
  uint64_t last = bits_of(x[0]);
  int64_t* const values = x.data();
  for (size_t i = 1; i < x.size(); ++i) {
    const uint64_t now = unzigzag(bits_of(values[i])) + predict(last, before_last, i);
    values[i] = value_of(now);
    before_last = last;
    last = now;
  }
}

// Calls `use` with the predictor as a function of (last, before last, index).
template <class Use>
void with_predictor(const Choice& choice, Use use) {
  const uint64_t c = choice.c;
  switch (choice.predictor) {
    case Predictor::kConstant:
    case Predictor::kCenter:
      return use([c](uint64_t, uint64_t, size_t) { return c; });
    case Predictor::kDelta:
      return use([c](uint64_t last, uint64_t, size_t) { return last + c; });
    case Predictor::kDelta2:
      return use([](uint64_t last, uint64_t before, size_t i) { return i < 2 ? last : 2 * last - before; });
    case Predictor::kHalf:
      return use([c](uint64_t last, uint64_t, size_t) { return c + half_of(last - c); });
    case Predictor::kQuarter3:
      return use([c](uint64_t last, uint64_t, size_t) { return c + quarter3_of(last - c); });
  }
}

bool all_equal(std::span<const int64_t> x) {
  return std::all_of(x.begin(), x.end(), [&](int64_t v) { return v == x[0]; });
}

}  // namespace

void encode_column(BitWriter& out, std::span<const int64_t> values) {
  const bool constant = all_equal(values);
  const Choice choice = constant ? Choice{Predictor::kConstant, bits_of(values[0])} : choose(values);
  out.put(static_cast<uint64_t>(choice.predictor), kPredictorBits);
  if (choice.predictor != Predictor::kDelta2) out.put_number(zigzag(choice.c));
  if (constant) return;
  // The first value has no predecessor: it is encoded as its distance from the level c, if there is one.
  const bool levelled = choice.predictor != Predictor::kDelta && choice.predictor != Predictor::kDelta2;
  out.put_number(zigzag(bits_of(values[0]) - (levelled ? choice.c : 0)));
  std::vector<uint64_t> residuals(values.size() - 1);
  with_predictor(choice, [&](auto predict) { take_residuals(values, residuals, predict); });
  encode_residuals(out, residuals);
}

bool decode_column(BitReader& in, std::span<int64_t> values) {
  const uint64_t predictor = in.get(kPredictorBits);
  if (predictor >= kPredictors) return false;
  Choice choice{static_cast<Predictor>(predictor), 0};
  if (choice.predictor != Predictor::kDelta2) choice.c = unzigzag(in.get_number());
  if (choice.predictor == Predictor::kConstant) {
    std::fill(values.begin(), values.end(), value_of(choice.c));
    return !in.overrun();
  }
  const bool levelled = choice.predictor != Predictor::kDelta && choice.predictor != Predictor::kDelta2;
  values[0] = value_of(unzigzag(in.get_number()) + (levelled ? choice.c : 0));
  // The residuals take the places of their values: signed and unsigned integers may share memory.
  const std::span rest = values.subspan(1);
  if (!decode_residuals(in, {reinterpret_cast<uint64_t*>(rest.data()), rest.size()})) return false;
  with_predictor(choice, [&](auto predict) { give_values(values, predict); });
  return true;
}

}  // namespace statmill
