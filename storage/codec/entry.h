// Entry: a partial bucket of one series in few bytes, encoded as a difference from the series' newest bucket.
//
// Journal rows and windows are made of entries (storage/FORMAT.md). If a gauge changes little from one slot
// to the next, its entry is one byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "storage/codec/codec.h"
#include "storage/histogram.h"

namespace statmill {

// The bucket that an entry is a difference from, the newest one. Default constructed if the series has no
// bucket.
struct EntryReference {
  Slot slot = 0;
  int64_t mean = 0;  // rounded down, at 10^-scale; 0 for doubles
  int8_t scale = 0;
};

// Returns the reference of the next entry if this bucket is the newest.
EntryReference reference_of(Slot slot, const Bucket& bucket);

// kSmall finds the fewest bytes; kQuick writes sums of squares in full.
enum class Effort : uint8_t { kQuick, kSmall };

// Raises a decimal bucket to the reference's scale if it fits and adds few digits, since a change of scale
// costs more than these. A decoded entry has that scale. The numbers are the same, but doubles computed from
// them later may differ in the last bit.
SlotBucket at_reference_scale(const EntryReference& reference, SlotBucket bucket);

// encode_entry() and decode_entry() advance `reference` to the reference of the next entry.

// Appends an entry. Requires: `bucket` is a result of at_reference_scale(), not empty, slot >= 0.
void encode_entry(std::string& out, EntryReference& reference, const SlotBucket& bucket,
                  Effort effort = Effort::kSmall);

// The most frequent kind of entry: of one sample in the next slot, at the reference's scale. It is one
// number, of which the lowest byte is the first: a copy of bytes that were just written one by one would wait
// for them.
struct ShortEntry {
  static constexpr int kShortBits = 6;        // of the difference of the means, in the first byte
  static constexpr uint8_t kMoreBits = 0x40;  // in the first byte: a varint of the others follows

  uint64_t bytes = 0;
  uint32_t size = 0;  // up to 8; 0: the bucket needs another kind of entry, or more bytes

  std::array<char, sizeof(bytes)> text() const {
    constexpr bool kIsSwapped = std::endian::native == std::endian::big;
    return std::bit_cast<std::array<char, sizeof(bytes)>>(kIsSwapped ? __builtin_bswap64(bytes) : bytes);
  }
};
inline bool takes_short_entry(const EntryReference& reference, const SlotBucket& bucket) {
  return bucket.bucket.count() == 1 && bucket.bucket.is_decimal() && bucket.slot == reference.slot + 1 &&
         bucket.bucket.scale() == reference.scale;
}
// Returns what encode_entry() appends for this bucket. Changes `reference` only if the size is not 0.
// Requires: as encode_entry().
inline ShortEntry encode_short_entry(EntryReference& reference, const SlotBucket& bucket) {
  if (!takes_short_entry(reference, bucket)) return {};
  const int64_t value = bucket.bucket.decimal().sum;
  const uint64_t difference = zigzag(static_cast<uint64_t>(value) - static_cast<uint64_t>(reference.mean));
  uint64_t rest = difference >> ShortEntry::kShortBits;
  if (rest >> (7 * (sizeof(ShortEntry::bytes) - 1)) != 0) return {};
  reference.slot = bucket.slot;
  reference.mean = value;
  ShortEntry out{difference & (ShortEntry::kMoreBits - 1), 1};
  if (rest == 0) return out;
  out.bytes |= ShortEntry::kMoreBits;
  for (; rest >= 0x80; rest >>= 7) out.bytes |= ((rest & 0x7f) | 0x80) << (8 * out.size++);
  out.bytes |= rest << (8 * out.size++);
  return out;
}

// Returns nullopt if the bytes are not a valid entry, or are a bucket that no samples could have made;
// `reference` is then unspecified.
std::optional<SlotBucket> decode_entry(Reader& in, EntryReference& reference);

// Skips the most frequent kind of entry, one sample in the next slot, without making its bucket. Returns
// false, and changes nothing, if the entry is of another kind or invalid.
bool step_over_short_entry(Reader& in, EntryReference& reference);

// Reads short entries, as step_over_short_entry() does, until another one follows or `means` is full. Returns
// their number; their slots are the ones before and at reference.slot. Cost: 3 ns an entry of one or two
// bytes, which nearly all are.
size_t read_short_entries(Reader& in, EntryReference& reference, std::span<int64_t> means);

// One sample in each of some slots in a row, all at one scale.
struct EntryRow {
  Slot first_slot = 0;
  int8_t scale = 0;
  std::span<const int64_t> integers;
};

// Calls on_row(row) for short entries, as many as it can at once, and on_bucket(bucket) for each other one.
// Returns false as soon as one of these does, or at an entry that is not valid.
template <class OnRow, class OnBucket>
bool for_each_entry(Reader in, EntryReference reference, OnRow on_row, OnBucket on_bucket) {
  constexpr size_t kRowMax = 256;
  std::array<int64_t, kRowMax> means;
  while (!in.done()) {
    if (const size_t count = read_short_entries(in, reference, means); count > 0) {
      const EntryRow row{
          reference.slot - static_cast<Slot>(count) + 1, reference.scale, {means.data(), count}};
      if (!on_row(row)) return false;
      continue;
    }
    const std::optional<SlotBucket> bucket = decode_entry(in, reference);
    if (!bucket || !on_bucket(*bucket)) return false;
  }
  return true;
}

// This byte and an encoded histogram precede an entry of a distribution. No entry begins with it.
inline constexpr uint8_t kHistogramFollows = 0x83;
inline bool is_histogram_next(const Reader& in) {
  return !in.done() && static_cast<uint8_t>(in.rest().front()) == kHistogramFollows;
}
// Requires: not empty.
void encode_entry_histogram(std::string& out, const SparseHistogram& histogram);
// Returns nullopt if the bytes are not a valid histogram. Requires: is_histogram_next().
std::optional<SparseHistogram> decode_entry_histogram(Reader& in);

// Returns the reference of the next entry, given that of `entry`. Requires: `entry` is whole and valid.
EntryReference reference_after(std::string_view entry, EntryReference reference);
// Returns the reference of `entry`, given that of the next entry; nullopt if a change of scale has lost it.
// Requires: as above.
std::optional<EntryReference> reference_before(std::string_view entry, const EntryReference& after);

// Skips an entry whose reference is unknown, with the histogram before it. Returns false if the bytes are not
// a valid entry.
bool skip_entry(Reader& in);

}  // namespace statmill
