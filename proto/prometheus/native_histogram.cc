#include "proto/prometheus/native_histogram.h"

#include <bit>
#include <cmath>
#include <vector>

#include "base/bytes.h"
#include "proto/prometheus/remote_write.h"
#include "proto/protobuf_fields.h"

namespace statmill {
namespace {

constexpr uint64_t kResetYes = 1;
constexpr uint64_t kResetGauge = 3;
constexpr int64_t kSchemaMin = -4;
constexpr int64_t kSchemaMax = 8;
constexpr int64_t kCustomSchema = -53;  // explicit bounds
constexpr double kWholeMax = 0x1p53;    // above it, not each whole number is a double

// A count that is sent as a number; nullopt unless it is a whole one.
std::optional<uint64_t> whole_count(double count) {
  if (!(count >= 0 && count <= kWholeMax) || std::floor(count) != count) return std::nullopt;
  return static_cast<uint64_t>(count);
}

// Calls `add` with each double of a packed field. Returns false if it is damaged.
template <class Add>
bool each_real(std::string_view packed, const Add& add) {
  // One more than any list may have shows that there are too many.
  return each_fixed64(packed, kSentBucketsMax + 2,
                      [&add](uint64_t bits) { add(std::bit_cast<double>(bits)); });
}

// The buckets of one side: runs of them, and a count for each bucket of all runs, as its difference from the
// count before, or as a number.
class Side {
 public:
  // Takes the field if it is one of these. Returns false if it is damaged.
  struct Numbers {
    uint64_t spans, deltas, reals;
  };
  bool read(const ProtobufFields& field, const Numbers& numbers) {
    if (field.is(numbers.spans, WireType::kBytes)) return add_span(field.bytes());
    if (field.is(numbers.deltas, WireType::kVarint)) add_delta(field.integer());
    if (field.is(numbers.deltas, WireType::kBytes)) {
      Reader packed(field.bytes());
      while (!packed.done() && !packed.failed()) add_delta(packed.varint());
      return !packed.failed();
    }
    if (field.is(numbers.reals, WireType::kFixed64)) add_real(field.real());
    if (field.is(numbers.reals, WireType::kBytes))
      return each_real(field.bytes(), [this](double count) { add_real(count); });
    return true;
  }

  // kUnsupported if a count is no whole number; kBadBucket if there are more than kSentBucketsMax, an index
  // is above INT32_MAX, or there are not as many counts as the runs have buckets.
  Verdict<Refusal> verdict() const {
    if (has_fraction_) return Refusal::kUnsupported;
    return is_damaged_ || counts_.size() != expected_ ? Verdict<Refusal>(Refusal::kBadBucket) : kAccepted;
  }
  // Returns the buckets by their index, ascending, without those that count nothing. Requires: it is
  // accepted.
  std::vector<SentBucket> buckets() const {
    std::vector<SentBucket> out;
    size_t at = 0;
    int64_t index = 0;
    for (const Span& span : spans_) {
      index += span.offset;
      for (uint64_t i = 0; i < span.length; ++i, ++index, ++at) {
        if (counts_[at] > 0) out.push_back({index, counts_[at]});
      }
    }
    return out;
  }

 private:
  struct Span {
    int64_t offset = 0;  // of the first: the index of its first bucket; then: buckets between two runs
    uint64_t length = 0;
  };

  bool add_span(std::string_view message) {
    Span span;
    ProtobufFields fields(message);
    while (fields.next()) {
      if (fields.is(1, WireType::kVarint)) span.offset = static_cast<int64_t>(unzigzag(fields.integer()));
      if (fields.is(2, WireType::kVarint)) span.length = fields.integer();
    }
    if (fields.failed() || span.offset < INT32_MIN || span.offset > INT32_MAX) return false;
    is_damaged_ = is_damaged_ || (!spans_.empty() && span.offset < 0) || span.length > kSentBucketsMax ||
                  spans_.size() == kSentBucketsMax;
    if (is_damaged_) return true;
    end_ += span.offset + static_cast<int64_t>(span.length);
    is_damaged_ = end_ > INT32_MAX;  // what remembers a histogram has no higher ones
    expected_ += span.length;
    spans_.push_back(span);
    return true;
  }
  void add_delta(uint64_t delta) {
    last_ += static_cast<uint64_t>(unzigzag(delta));  // below 0 it wraps, and is above any count
    add_count(last_);
  }
  void add_real(double count) {
    const auto whole = whole_count(count);
    has_fraction_ = has_fraction_ || !whole;
    add_count(whole.value_or(0));
  }
  void add_count(uint64_t count) {
    is_damaged_ = is_damaged_ || counts_.size() == kSentBucketsMax;
    if (!is_damaged_) counts_.push_back(count);
  }

  std::vector<Span> spans_;
  std::vector<uint64_t> counts_;
  int64_t end_ = 0;        // the index after the last run
  uint64_t expected_ = 0;  // buckets of all runs
  uint64_t last_ = 0;      // the count before
  bool has_fraction_ = false;
  bool is_damaged_ = false;
};

// What a message has, as it is sent.
struct Sent {
  Side negative;
  Side positive;
  uint64_t count = 0;
  uint64_t zeros = 0;
  double zero_threshold = 0;
  double sum = 0;
  int64_t schema = 0;
  uint64_t hint = 0;
  std::vector<double> bounds;
  bool has_fraction = false;

  void add_bound(double bound) {
    if (bounds.size() <= kSentBucketsMax) bounds.push_back(bound);
  }
  // Returns false if the field is damaged.
  bool read(const ProtobufFields& field) {
    const auto count_of = [this](double real) {
      const auto whole = whole_count(real);
      has_fraction = has_fraction || !whole;
      return whole.value_or(0);
    };
    if (field.is(1, WireType::kVarint)) count = field.integer();
    if (field.is(2, WireType::kFixed64)) count = count_of(field.real());
    if (field.is(3, WireType::kFixed64)) sum = field.real();
    if (field.is(4, WireType::kVarint)) schema = static_cast<int64_t>(unzigzag(field.integer()));
    if (field.is(5, WireType::kFixed64)) zero_threshold = field.real();
    if (field.is(6, WireType::kVarint)) zeros = field.integer();
    if (field.is(7, WireType::kFixed64)) zeros = count_of(field.real());
    if (field.is(14, WireType::kVarint)) hint = field.integer();
    if (field.is(16, WireType::kFixed64)) add_bound(field.real());
    if (field.is(16, WireType::kBytes) && !each_real(field.bytes(), [this](double real) { add_bound(real); }))
      return false;
    return negative.read(field, {8, 9, 10}) && positive.read(field, {11, 12, 13});
  }
};

// Their buckets are numbered one higher than those of a ForeignHistogram.
void set_exponential(const Sent& sent, ForeignHistogram& out) {
  out.is_exponential = true;
  out.scale = static_cast<int32_t>(sent.schema);
  out.zero_threshold = sent.zero_threshold;
  const std::vector<SentBucket> negative = sent.negative.buckets();
  for (size_t i = negative.size(); i-- > 0;)
    out.buckets.push_back({exponential_bucket(negative[i].number - 1, true), negative[i].count});
  if (sent.zeros > 0) out.buckets.push_back({0, sent.zeros});
  for (const SentBucket& bucket : sent.positive.buckets())
    out.buckets.push_back({exponential_bucket(bucket.number - 1, false), bucket.count});
}

Verdict<Refusal> set_explicit(Sent& sent, ForeignHistogram& out) {
  // Prometheus may name the last bucket's edge, which is infinite.
  if (!sent.bounds.empty() && sent.bounds.back() == HUGE_VAL) sent.bounds.pop_back();
  if (sent.zeros > 0 || !sent.negative.buckets().empty() || sent.bounds.size() > kSentBucketsMax)
    return Refusal::kBadBucket;
  out.bounds = std::move(sent.bounds);
  out.buckets = sent.positive.buckets();
  const auto buckets = static_cast<int64_t>(out.bounds.size()) + 1;
  for (const SentBucket& bucket : out.buckets) {
    if (bucket.number < 0 || bucket.number >= buckets) return Refusal::kBadBucket;
  }
  return kAccepted;
}

Verdict<Refusal> set_histogram(Sent& sent, ForeignHistogram& out) {
  if (sent.hint == kResetGauge || sent.has_fraction) return Refusal::kUnsupported;
  for (const Side* side : {&sent.negative, &sent.positive}) {
    if (const auto verdict = side->verdict(); verdict.is_refused()) return verdict;
  }
  if (!std::isfinite(sent.sum) || !std::isfinite(sent.zero_threshold)) return Refusal::kNotFinite;
  const bool is_custom = sent.schema == kCustomSchema;
  if (!is_custom && (sent.schema < kSchemaMin || sent.schema > kSchemaMax)) return Refusal::kOutOfRange;
  out.count = sent.count;
  out.sum = Number::shortest(sent.sum);
  if (!is_custom) {
    set_exponential(sent, out);
  } else if (const auto verdict = set_explicit(sent, out); verdict.is_refused()) {
    return verdict;
  }
  return check_histogram(out);
}

}  // namespace

bool read_native_histogram(std::string_view message, NativeHistogram& out) {
  out = {};
  Sent sent;
  ProtobufFields fields(message);
  while (fields.next()) {
    if (!sent.read(fields)) return false;
    if (fields.is(15, WireType::kVarint)) out.time_ms = fields.signed_integer();
    if (fields.is(17, WireType::kVarint)) out.start_ms = fields.signed_integer();
  }
  if (fields.failed()) return false;
  out.is_end = is_stale_marker(sent.sum);
  out.is_reset = sent.hint == kResetYes;
  if (!out.is_end) out.verdict = set_histogram(sent, out.histogram);
  return true;
}

}  // namespace statmill
