// Entry: a partial bucket of one series as few bytes, told by its difference from the series' newest bucket.
//
// What journal rows and windows are made of (storage/FORMAT.md). A gauge that moved a little in the next slot
// takes one byte.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "storage/codec/codec.h"
#include "storage/histogram.h"

namespace statmill {

// What an entry is told against. Of a series without a bucket: as constructed.
struct EntryReference {
  Slot slot = 0;
  int64_t mean = 0;  // rounded down, at 10^-scale; of doubles 0
  int8_t scale = 0;
};

// What the next entry is told against when this bucket is the newest.
EntryReference reference_of(Slot slot, const Bucket& bucket);

// What an entry is worth: kSmall looks for the fewest bytes, kQuick writes sums of squares as they are.
enum class Effort : uint8_t { kQuick, kSmall };

// The bucket as an entry gives it back: digits that a value happens to spare are given back to it, since a
// change of scale costs more. The numbers are the same; doubles made of them later may not be, to the last
// bit.
SlotBucket as_told(const EntryReference& reference, SlotBucket bucket);

// Both move the reference on to what the next entry is told against.
// Appends an entry. Requires: the bucket is as_told(), not empty, slot >= 0.
void encode_entry(std::string& out, EntryReference& reference, const SlotBucket& bucket,
                  Effort effort = Effort::kSmall);
// None when the bytes are no entry, or a bucket that no samples could have made; then the reference is of no
// use.
std::optional<SlotBucket> decode_entry(Reader& in, EntryReference& reference);

// Steps over an entry of the kind that most are, one sample in the next slot, whose bucket need not be made
// to know where it leads. False, and nothing has changed, when it is another or none.
bool step_over_short_entry(Reader& in, EntryReference& reference);

// The histogram of an entry of a distribution stands in front of it, behind this byte, which is no entry's
// first.
inline constexpr uint8_t kHistogramFollows = 0x83;
inline bool is_histogram_next(const Reader& in) {
  return !in.done() && static_cast<uint8_t>(in.rest().front()) == kHistogramFollows;
}
// Requires: not empty.
void encode_entry_histogram(std::string& out, const SparseHistogram& histogram);
// None when the bytes are none. Requires: is_histogram_next().
std::optional<SparseHistogram> decode_entry_histogram(Reader& in);

// Between an entry and its neighbours. Requires: a whole entry, that decodes.
EntryReference reference_after(std::string_view entry, EntryReference reference);
// What tells the entry as it is told; none where a change of scale leaves that open.
std::optional<EntryReference> reference_before(std::string_view entry, const EntryReference& after);

// Steps over an entry, and the histogram in front of it, whose reference is not known. False when the bytes
// are no entry.
bool skip_entry(Reader& in);

}  // namespace statmill
