// encode_x and decode_x mirror each other.
#include "storage/codec/entry.h"

#include <limits>
#include <utility>

#include "base/check.h"
#include "storage/bucket_check.h"
#include "storage/codec/histogram_codec.h"
#include "storage/codec/spread.h"

namespace statmill {
namespace {

// The first byte. Below kLong it is the whole head: one observation in the slot after the reference's, at the
// same scale; its low bits are the low bits of the difference.
constexpr uint8_t kLong = 0x80;
constexpr uint8_t kMoreBits = ShortEntry::kMoreBits;
constexpr int kShortBits = ShortEntry::kShortBits;
// Bits of a long head. Without slot bits the slot is the reference's.
constexpr uint8_t kSlotMask = 0x03;
constexpr uint8_t kNextSlot = 1;
constexpr uint8_t kSlotFollows = 2;
constexpr uint8_t kMany = 0x04;  // more than one sample: count and the rest follow
constexpr uint8_t kScaleFollows = 0x08;
constexpr uint8_t kReal = 0x10;
constexpr int kSpreadShift = 5;  // two bits: a SpreadRule, or kRawSquares
constexpr uint8_t kRawSquares = 2;

uint64_t bits_of(int64_t v) { return static_cast<uint64_t>(v); }

int64_t floor_mean(int64_t sum, uint64_t count) {
  if (count == 1) return sum;
  // The usual case: a 32-bit division takes a fraction of the time.
  constexpr uint64_t kShort = std::numeric_limits<uint32_t>::max();
  if (bits_of(sum) <= kShort && count <= kShort)
    return static_cast<uint32_t>(sum) / static_cast<uint32_t>(count);
  const auto n = static_cast<int64_t>(count);
  return sum / n - (sum % n < 0 ? 1 : 0);
}

// The mean that a mean at `scale` is a difference from: the reference's, but only if its scale is the same.
int64_t base_of(const EntryReference& reference, int8_t scale) {
  return reference.scale == scale ? reference.mean : 0;
}

// A sum of squares as an entry holds it: in full, or as the spread under a rule.
struct Squares {
  uint8_t form = kRawSquares;
  Uint128 number = 0;
};

Squares raw_squares(const Bucket::Decimal& d) {
  return {kRawSquares, static_cast<Uint128>(d.sum_of_squares)};
}

// Returns the form that leaves the smallest number.
Squares smallest_squares(uint64_t count, const Bucket::Decimal& d) {
  for (const SpreadRule rule : {SpreadRule::kIntegers, SpreadRule::kRounded}) {
    if (count < spread_count_min(SpreadRule::kIntegers) && rule == SpreadRule::kIntegers) continue;
    const auto bounds = spread_bounds(rule, count, d.sum, d.min, d.max);
    const auto spread = bounds ? spread_of(rule, *bounds, count, d) : std::nullopt;
    if (spread) return {static_cast<uint8_t>(rule), *spread};
  }
  return raw_squares(d);
}

// Returns the sum of squares; nullopt if no encoder writes such a number. Requires: count > 2; sum, min and
// max of `d` are known.
std::optional<Int128> decode_squares(const Squares& squares, uint64_t count, const Bucket::Decimal& d) {
  if (squares.form > kRawSquares) return std::nullopt;
  if (squares.form == kRawSquares) {
    if (squares.number > static_cast<Uint128>(std::numeric_limits<Int128>::max())) return std::nullopt;
    return static_cast<Int128>(squares.number);
  }
  const auto rule = static_cast<SpreadRule>(squares.form);
  if (count < spread_count_min(rule)) return std::nullopt;
  const auto bounds = spread_bounds(rule, count, d.sum, d.min, d.max);
  if (!bounds || squares.number > bounds->room) return std::nullopt;
  return squares_of(rule, *bounds, squares.number, count, d.sum, d.min, d.max);
}

// The two samples of a pair are its min and max. Returns nullopt if the sum of squares overflows.
std::optional<Int128> squares_of_pair(int64_t min, int64_t max) {
  Int128 squares = 0;
  if (__builtin_add_overflow(Int128{min} * min, Int128{max} * max, &squares)) return std::nullopt;
  return squares;
}

// Returns mean * count + remainder; nullopt if it does not fit.
std::optional<int64_t> sum_of(int64_t mean, uint64_t count, uint64_t remainder) {
  const Int128 sum = Int128{mean} * static_cast<Int128>(count) + remainder;
  if (sum != static_cast<int64_t>(sum)) return std::nullopt;
  return static_cast<int64_t>(sum);
}

// `mean` is the reference's mean before the call and the bucket's after it.
void encode_many(Writer& out, uint64_t count, const Bucket::Decimal& d, int64_t& mean,
                 const Squares& squares) {
  const int64_t reference = std::exchange(mean, floor_mean(d.sum, count));
  out.varint(count);
  out.svarint(static_cast<int64_t>(bits_of(mean) - bits_of(reference)));
  out.varint(bits_of(d.sum) - bits_of(mean) * count);
  out.varint(bits_of(mean) - bits_of(d.min));
  if (count == 2) return;
  out.varint(bits_of(d.max) - bits_of(mean));
  out.varint128(squares.number);
}

// Mirrors encode_many(). Returns nullopt if no encoder writes such bytes.
std::optional<Bucket> decode_many(Reader& in, uint8_t head, int64_t& mean, int8_t scale) {
  const uint64_t count = in.varint();
  mean = static_cast<int64_t>(bits_of(mean) + bits_of(in.svarint()));
  const uint64_t remainder = in.varint();
  const uint64_t below = in.varint();
  if (count < 2 || count > Bucket::kCountMax || remainder >= count) return std::nullopt;
  const auto sum = sum_of(mean, count, remainder);
  if (!sum) return std::nullopt;

  Bucket::Decimal d{.sum = *sum, .min = static_cast<int64_t>(bits_of(mean) - below), .scale = scale};
  std::optional<Int128> squares;
  if (count == 2) {
    d.max = static_cast<int64_t>(bits_of(d.sum) - bits_of(d.min));
    squares = squares_of_pair(d.min, d.max);
  } else {
    d.max = static_cast<int64_t>(bits_of(mean) + in.varint());
    const auto form = static_cast<uint8_t>(head >> kSpreadShift & 3);
    squares = decode_squares({form, in.varint128()}, count, d);
  }
  if (!squares) return std::nullopt;
  d.sum_of_squares = *squares;
  if (in.failed() || !is_possible(count, d)) return std::nullopt;
  return Bucket::from_decimal(count, d);
}

void encode_real(Writer& out, uint64_t count, const Bucket::Real& r) {
  out.f64(r.sum);
  if (count == 1) return;
  out.varint(count);
  out.f64(r.m2);
  out.f64(r.min);
  out.f64(r.max);
}

std::optional<Bucket> decode_real(Reader& in, uint8_t head) {
  Bucket::Real r = single_real(in.f64());
  uint64_t count = 1;
  if ((head & kMany) != 0) {
    count = in.varint();
    r.m2 = in.f64();
    r.min = in.f64();
    r.max = in.f64();
  }
  if (in.failed() || !is_possible(count, r)) return std::nullopt;
  return Bucket::from_real(count, r);
}

void encode_long(std::string& bytes, EntryReference& reference, Slot slot, const Bucket& bucket,
                 Effort effort) {
  Writer out(bytes);
  const uint64_t count = bucket.count();
  const bool real = !bucket.is_decimal();
  uint8_t head = kLong | (count > 1 ? kMany : 0) | (real ? kReal : 0);
  if (slot != reference.slot) head |= slot == reference.slot + 1 ? kNextSlot : kSlotFollows;
  if (!real && bucket.scale() != reference.scale) head |= kScaleFollows;
  Squares squares;
  if (!real && count > 2) {
    squares =
        effort == Effort::kSmall ? smallest_squares(count, bucket.decimal()) : raw_squares(bucket.decimal());
    head = static_cast<uint8_t>(head | squares.form << kSpreadShift);
  }
  out.u8(head);
  if ((head & kSlotMask) == kSlotFollows) out.svarint(slot - reference.slot);
  if (real) {
    reference = {slot, 0, 0};
    return encode_real(out, count, bucket.real());
  }
  const Bucket::Decimal d = bucket.decimal();
  if ((head & kScaleFollows) != 0) out.u8(static_cast<uint8_t>(d.scale));
  reference = {slot, base_of(reference, d.scale), d.scale};
  if (count > 1) return encode_many(out, count, d, reference.mean, squares);
  out.svarint(static_cast<int64_t>(bits_of(d.sum) - bits_of(reference.mean)));
  reference.mean = d.sum;
}

int64_t slot_difference(Reader& in, uint8_t head) {
  const uint8_t slot = head & kSlotMask;
  return slot == kSlotFollows ? in.svarint() : slot;
}

// Reads slot and scale of a long entry into `reference`; its mean becomes the one that the entry's mean is a
// difference from. Returns false if the bytes are not a valid entry.
bool move_on(Reader& in, uint8_t head, EntryReference& reference) {
  const int64_t delta = slot_difference(in, head);
  if ((head & kSlotMask) > kSlotFollows || __builtin_add_overflow(reference.slot, delta, &reference.slot) ||
      reference.slot < 0) {
    return false;
  }
  if ((head & kReal) != 0) {
    reference = {reference.slot, 0, 0};
  } else if ((head & kScaleFollows) != 0) {
    const auto scale = static_cast<int8_t>(in.u8());
    reference = {reference.slot, base_of(reference, scale), scale};
  }
  return reference.scale >= 0 && reference.scale <= Bucket::kScaleMax;
}

std::optional<SlotBucket> decode_long(Reader& in, uint8_t head, EntryReference& reference) {
  if (!move_on(in, head, reference)) return std::nullopt;
  std::optional<Bucket> bucket;
  if ((head & kReal) != 0) {
    bucket = decode_real(in, head);
  } else if ((head & kMany) != 0) {
    bucket = decode_many(in, head, reference.mean, reference.scale);
  } else {
    reference.mean = static_cast<int64_t>(bits_of(reference.mean) + bits_of(in.svarint()));
    if (!in.failed()) bucket = Bucket::from_decimal(1, single_decimal(reference.mean, reference.scale));
  }
  if (!bucket) return std::nullopt;
  return SlotBucket{reference.slot, *bucket};
}

// Returns the difference of a long entry's mean to the reference's. Requires: slot and scale have been read.
int64_t mean_difference(Reader& in, uint8_t head) {
  if ((head & kMany) != 0) in.varint();  // count
  return in.svarint();
}

// Returns the difference in a short entry; nullopt if the entry is invalid.
std::optional<int64_t> decode_short(Reader& in, uint8_t head) {
  uint64_t difference = head & (kMoreBits - 1);
  if ((head & kMoreBits) != 0) {
    const uint64_t rest = in.varint();
    if (rest == 0 || rest >> (64 - kShortBits) != 0) return std::nullopt;
    difference |= rest << kShortBits;
  }
  if (in.failed()) return std::nullopt;
  return unzigzag(difference);
}

// Advances `reference` over a short entry. Returns false if the entry is invalid.
bool step_over_short(Reader& in, uint8_t head, EntryReference& reference) {
  const auto difference = decode_short(in, head);
  if (!difference || reference.slot == std::numeric_limits<Slot>::max()) return false;
  ++reference.slot;
  reference.mean = static_cast<int64_t>(bits_of(reference.mean) + bits_of(*difference));
  return true;
}

}  // namespace

SlotBucket at_reference_scale(const EntryReference& reference, SlotBucket bucket) {
  constexpr int kDigitsMax = 6;  // 20 bits, about what a change of scale costs
  const int digits = bucket.bucket.is_decimal() ? reference.scale - bucket.bucket.scale() : 0;
  if (0 < digits && digits <= kDigitsMax) static_cast<void>(bucket.bucket.rescale(reference.scale));
  return bucket;
}

EntryReference reference_of(Slot slot, const Bucket& bucket) {
  if (!bucket.is_decimal()) return {slot, 0, 0};
  const Bucket::Decimal d = bucket.decimal();
  return {slot, floor_mean(d.sum, bucket.count()), d.scale};
}

void encode_entry(std::string& out, EntryReference& reference, const SlotBucket& entry, Effort effort) {
  SM_CHECK(!entry.bucket.is_empty() && entry.slot >= 0);
  if (!takes_short_entry(reference, entry))
    return encode_long(out, reference, entry.slot, entry.bucket, effort);
  const int64_t value = entry.bucket.decimal().sum;
  const uint64_t difference = zigzag(bits_of(value) - bits_of(reference.mean));
  reference.slot = entry.slot;
  reference.mean = value;
  const auto low = static_cast<uint8_t>(difference & (kMoreBits - 1));
  const uint64_t rest = difference >> kShortBits;
  Writer writer(out);
  writer.u8(rest != 0 ? low | kMoreBits : low);
  if (rest != 0) writer.varint(rest);
}

std::optional<SlotBucket> decode_entry(Reader& in, EntryReference& reference) {
  const uint8_t head = in.u8();
  if ((head & kLong) != 0) return decode_long(in, head, reference);
  if (!step_over_short(in, head, reference)) return std::nullopt;
  return SlotBucket{reference.slot, Bucket::from_decimal(1, single_decimal(reference.mean, reference.scale))};
}

bool step_over_short_entry(Reader& in, EntryReference& reference) {
  Reader ahead = in;
  const uint8_t head = ahead.u8();
  if ((head & kLong) != 0 || !step_over_short(ahead, head, reference)) return false;
  in = ahead;
  return true;
}

size_t read_short_entries(Reader& in, EntryReference& reference, std::span<int64_t> means) {
  constexpr uint32_t kContinues = 0x80;  // of a varint
  static_assert(kContinues == kLong);
  if (reference.slot > std::numeric_limits<Slot>::max() - static_cast<Slot>(means.size())) return 0;
  const std::string_view bytes = in.rest();
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  uint64_t mean = bits_of(reference.mean);
  size_t count = 0;
  // No branch depends on the size of an entry, which is as good as random.
  for (; count < means.size() && end - at >= 2; ++count) {
    const uint32_t head = static_cast<uint8_t>(at[0]);
    const uint32_t has_more = head / kMoreBits % 2;
    const uint32_t rest = static_cast<uint8_t>(at[1]) & (0U - has_more);
    if (((head | rest) & kContinues) != 0 || rest < has_more) break;
    mean += unzigzag((head & (kMoreBits - 1U)) | rest << kShortBits);
    means[count] = static_cast<int64_t>(mean);
    at += 1 + has_more;
  }
  in.bytes(static_cast<size_t>(at - bytes.data()));
  reference.slot += static_cast<Slot>(count);
  reference.mean = static_cast<int64_t>(mean);
  // What is left may be the last byte, or a longer entry.
  while (count < means.size() && step_over_short_entry(in, reference)) means[count++] = reference.mean;
  return count;
}

EntryReference reference_after(std::string_view entry, EntryReference reference) {
  Reader in(entry);
  if (step_over_short_entry(in, reference)) return reference;
  const uint8_t head = in.u8();
  SM_CHECK(move_on(in, head, reference));
  if ((head & kReal) == 0)
    reference.mean = static_cast<int64_t>(bits_of(reference.mean) + bits_of(mean_difference(in, head)));
  return reference;
}

std::optional<EntryReference> reference_before(std::string_view entry, const EntryReference& after) {
  Reader in(entry);
  const uint8_t head = in.u8();
  if ((head & kLong) == 0) {
    const uint64_t difference = bits_of(decode_short(in, head).value_or(0));
    return EntryReference{after.slot - 1, static_cast<int64_t>(bits_of(after.mean) - difference),
                          after.scale};
  }
  if ((head & kScaleFollows) != 0) return std::nullopt;
  const Slot slot = after.slot - slot_difference(in, head);
  if ((head & kReal) != 0) return EntryReference{slot, 0, 0};
  return EntryReference{slot, static_cast<int64_t>(bits_of(after.mean) - bits_of(mean_difference(in, head))),
                        after.scale};
}

void encode_entry_histogram(std::string& out, const SparseHistogram& histogram) {
  SM_CHECK(!histogram.is_empty());
  Writer(out).u8(kHistogramFollows);
  encode_histogram(out, histogram);
}

std::optional<SparseHistogram> decode_entry_histogram(Reader& in) {
  in.u8();
  return decode_histogram(in);
}

bool skip_entry(Reader& in) {
  if (is_histogram_next(in) && !decode_entry_histogram(in)) return false;
  const uint8_t head = in.u8();
  if ((head & kLong) == 0) {
    if ((head & kMoreBits) != 0) in.varint();
    return !in.failed();
  }
  if ((head & kSlotMask) == kSlotFollows) in.varint();
  if ((head & kReal) != 0) {
    in.bytes(sizeof(double));
    if ((head & kMany) != 0) {
      in.varint();
      in.bytes(3 * sizeof(double));
    }
    return !in.failed();
  }
  if ((head & kScaleFollows) != 0) in.u8();
  const uint64_t count = (head & kMany) != 0 ? in.varint() : 1;
  in.varint();  // mean
  if (count > 1) {
    in.varint();  // remainder
    in.varint();  // below
  }
  if (count > 2) {
    in.varint();  // above
    in.varint128();
  }
  return !in.failed();
}

}  // namespace statmill
