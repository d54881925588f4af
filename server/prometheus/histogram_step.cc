#include "server/prometheus/histogram_step.h"

#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr uint8_t kExponentialBit = 1;
constexpr uint8_t kSumBit = 2;
constexpr uint8_t kMinBit = 4;
constexpr uint8_t kMaxBit = 8;

Error corrupt() { return {ErrorCode::kCorrupt, "value row: a damaged histogram"}; }

uint64_t hash_of(std::span<const double> bounds) {
  std::string bytes;
  Writer writer(bytes);
  for (const double bound : bounds) writer.f64(bound);
  return hash_name(bytes);
}

// No bucket has a number beyond these.
constexpr BucketNumber kNumberMax = 2 * kFirstExponential;

// Brings what is remembered to the buckets of a later histogram. Returns false if they cannot be compared.
bool bring_to_buckets_of(const ForeignHistogram& sent, RememberedHistogram& last) {
  ForeignHistogram& histogram = last.histogram;
  if (histogram.is_exponential != sent.is_exponential) return false;
  if (!sent.is_exponential) return last.bounds_hash == hash_of(sent.bounds);
  if (sent.scale > histogram.scale || sent.zero_threshold < histogram.zero_threshold) return false;
  if (sent.scale < histogram.scale) lower_scale(histogram, sent.scale);
  if (sent.zero_threshold > histogram.zero_threshold) raise_zero_threshold(histogram, sent.zero_threshold);
  return true;
}

// Returns what each bucket went up by, or nullopt if one went down.
std::optional<std::vector<SentBucket>> growth(std::span<const SentBucket> now,
                                              std::span<const SentBucket> last) {
  std::vector<SentBucket> grown;
  for (const SentBucket& bucket : now) {
    uint64_t before = 0;
    if (!last.empty() && last.front().number < bucket.number) return std::nullopt;
    if (!last.empty() && last.front().number == bucket.number) {
      before = last.front().count;
      last = last.subspan(1);
    }
    if (before > bucket.count) return std::nullopt;
    if (before < bucket.count) grown.push_back({bucket.number, bucket.count - before});
  }
  if (!last.empty()) return std::nullopt;
  return grown;
}

// Returns what `sent` has more than `last`, in the same buckets; nullopt if a bucket went down.
std::optional<ForeignHistogram> difference(const ForeignHistogram& sent, const ForeignHistogram& last) {
  auto grown = growth(sent.buckets, last.buckets);
  if (!grown) return std::nullopt;
  ForeignHistogram out;
  out.is_exponential = sent.is_exponential;
  out.scale = sent.scale;
  out.zero_threshold = sent.zero_threshold;
  out.bounds = sent.bounds;
  out.buckets = std::move(*grown);
  for (const SentBucket& bucket : out.buckets) out.count += bucket.count;
  if (sent.sum && last.sum) out.sum = difference(*sent.sum, *last.sum);
  // Extremes are of all that it counted, so only new ones are known to be of this time.
  if (sent.max && last.max && sent.max->value() > last.max->value()) out.max = sent.max;
  if (sent.min && last.min && sent.min->value() < last.min->value()) out.min = sent.min;
  return out;
}

}  // namespace

HistogramStep histogram_step(const ForeignHistogram& sent, const TimedValue& at, bool is_new,
                             LastValue& last) {
  HistogramStep step;
  if (!is_new) {
    if (const auto order = compare_times(at, last); std::is_lteq(order)) {
      step.kind = std::is_eq(order) ? HistogramStepKind::kRepeated : HistogramStepKind::kOlder;
      return step;
    }
  }
  if (!last.is_counter) last.histogram = nullptr;
  auto before = last.histogram ? decode_histogram(*last.histogram) : Result<RememberedHistogram>(corrupt());
  // What its sender sent before as amounts may be in it.
  const bool may_have_amounts = !is_new && !last.histogram && at.start_ms < last.time_ms;
  step.is_reset = !is_new && !may_have_amounts && has_new_start(at, last);
  if (is_new || step.is_reset) {
    step.kind = has_known_start(at) ? HistogramStepKind::kAll : HistogramStepKind::kNothing;
  } else if (!before || !bring_to_buckets_of(sent, *before)) {
    step.kind = HistogramStepKind::kChanged;
  } else {
    if (before->histogram.sum) before->histogram.sum = last.value;
    auto grown = difference(sent, before->histogram);
    step.is_reset = !grown;
    step.kind = grown ? HistogramStepKind::kDifference : HistogramStepKind::kAll;
    if (grown) step.difference = std::move(*grown);
  }
  last.is_counter = true;
  last.histogram = std::make_shared<const std::string>(encode_histogram(sent));
  move_on(at, sent.sum.value_or(Number()), last);
  return step;
}

std::string encode_histogram(const ForeignHistogram& histogram) {
  std::string bytes;
  Writer writer(bytes);
  writer.u8(static_cast<uint8_t>((histogram.is_exponential ? kExponentialBit : 0) |
                                 (histogram.sum ? kSumBit : 0) | (histogram.min ? kMinBit : 0) |
                                 (histogram.max ? kMaxBit : 0)));
  if (histogram.is_exponential) {
    writer.svarint(histogram.scale);
    writer.f64(histogram.zero_threshold);
  } else {
    writer.u64be(hash_of(histogram.bounds));
  }
  if (histogram.min) writer.f64(histogram.min->value());
  if (histogram.max) writer.f64(histogram.max->value());
  BucketNumber before = 0;
  for (const SentBucket& bucket : histogram.buckets) {
    writer.svarint(bucket.number - before);
    writer.varint(bucket.count);
    before = bucket.number;
  }
  return bytes;
}

Result<RememberedHistogram> decode_histogram(std::string_view bytes) {
  Reader reader(bytes);
  RememberedHistogram out;
  ForeignHistogram& histogram = out.histogram;
  const uint8_t bits = reader.u8();
  histogram.is_exponential = (bits & kExponentialBit) != 0;
  if (histogram.is_exponential) {
    const int64_t scale = reader.svarint();
    if (scale < kSentScaleMin || scale > kSentScaleMax) return corrupt();
    histogram.scale = static_cast<int32_t>(scale);
    histogram.zero_threshold = reader.f64();
  } else {
    out.bounds_hash = reader.u64be();
  }
  if ((bits & kSumBit) != 0) histogram.sum = Number();
  const auto read_extreme = [&](uint8_t bit, std::optional<Number>& extreme) {
    if ((bits & bit) == 0) return;
    const double value = reader.f64();
    if (std::isfinite(value)) extreme = Number::of(value);
  };
  read_extreme(kMinBit, histogram.min);
  read_extreme(kMaxBit, histogram.max);
  BucketNumber number = 0;
  while (!reader.done() && !reader.failed()) {
    const int64_t step = reader.svarint();
    if (step < -kNumberMax || step > 2 * kNumberMax) return corrupt();
    if (step <= 0 && !histogram.buckets.empty()) return corrupt();
    number += step;
    if (number > kNumberMax) return corrupt();
    const uint64_t count = reader.varint();
    histogram.buckets.push_back({number, count});
    histogram.count += count;
  }
  if (reader.failed()) return corrupt();
  return out;
}

}  // namespace statmill
