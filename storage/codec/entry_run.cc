#include "storage/codec/entry_run.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/codec/entry.h"

namespace statmill {
namespace {

constexpr uint8_t kEvents = 0x08;  // Combine::kAddEvents

// The reference of the first entry: the slot before the chunk, which saves most bytes of the entry's slot.
EntryReference before(Slot first_slot) { return {first_slot - 1, 0, 0}; }

}  // namespace

std::string encode_entry_run(Combine combine, Slot first_slot, std::string_view entries) {
  EntryReference reference;
  Reader in(entries);
  const auto first = decode_entry(in, reference);
  SM_CHECK(first.has_value());
  std::string out;
  out.reserve(1 + entries.size());
  Writer writer(out);
  writer.u8(combine == Combine::kAddEvents ? kEvents : 0);
  EntryReference chunk_begin = before(first_slot);
  encode_entry(out, chunk_begin, *first);
  writer.bytes(in.rest());
  return out;
}

std::optional<DecodedGroup> decode_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots) {
  Reader in(payload);
  const uint8_t flags = in.u8();
  if (in.failed() || in.done() || (flags & ~kEvents) != 0) return std::nullopt;
  DecodedGroup group;
  group.combine = flags == kEvents ? Combine::kAddEvents : Combine::kMerge;
  // An entry has at least one byte, most have two.
  group.buckets.reserve(std::min(static_cast<size_t>(chunk_slots), payload.size() / 2 + 1));
  EntryReference reference = before(first_slot);
  Slot next = first_slot;
  while (!in.done()) {
    const auto entry = decode_entry(in, reference);
    if (!entry || entry->slot < next || entry->slot >= first_slot + chunk_slots) return std::nullopt;
    next = entry->slot + 1;
    const bool is_event = group.combine == Combine::kAddEvents;
    group.buckets.push_back({entry->slot, is_event ? total_of(entry->bucket) : entry->bucket});
  }
  return group;
}

}  // namespace statmill
