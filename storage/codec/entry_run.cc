#include "storage/codec/entry_run.h"

#include <algorithm>
#include <numeric>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/bucket_check.h"
#include "storage/codec/entry.h"

namespace statmill {
namespace {

constexpr uint8_t kEvents = 0x08;  // Combine::kAddEvents

// The reference of the first entry: the slot before the chunk, which saves most bytes of the entry's slot.
EntryReference before(Slot first_slot) { return {first_slot - 1, 0, 0}; }

// Calls the two as for_each_entry() does; events come as totals. Returns nullopt if the payload is not valid.
template <class OnRow, class OnBucket>
std::optional<Combine> walk_run(std::string_view payload, Slot first_slot, int64_t chunk_slots, OnRow on_row,
                                OnBucket on_bucket) {
  Reader in(payload);
  const uint8_t flags = in.u8();
  if (in.failed() || in.done() || (flags & ~kEvents) != 0) return std::nullopt;
  const bool is_event = flags == kEvents;
  Slot next = first_slot;
  const auto moves_over = [&next, end = first_slot + chunk_slots](Slot slot, size_t count) {
    if (slot < next || slot >= end || count > static_cast<size_t>(end - slot)) return false;
    next = slot + static_cast<Slot>(count);
    return true;
  };
  const bool valid = for_each_entry(
      in, before(first_slot),
      [&](const EntryRow& row) {
        if (!moves_over(row.first_slot, row.integers.size())) return false;
        on_row(row);
        return true;
      },
      [&](const SlotBucket& entry) {
        if (!moves_over(entry.slot, 1)) return false;
        on_bucket(SlotBucket{entry.slot, is_event ? total_of(entry.bucket) : entry.bucket});
        return true;
      });
  if (!valid) return std::nullopt;
  return is_event ? Combine::kAddEvents : Combine::kMerge;
}

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

std::optional<EntryRun> read_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots) {
  EntryRun run;
  DecimalColumns& singles = run.singles.decimals;
  const size_t entries_max = std::min(static_cast<size_t>(chunk_slots), payload.size() / 2 + 1);
  singles.slots.reserve(entries_max);
  singles.sums.reserve(entries_max);
  const auto add_single = [&](Slot slot, int64_t integer, int8_t scale) {
    if (singles.slots.empty()) run.singles.scale = scale;
    if (scale != run.singles.scale) {
      run.buckets.push_back({slot, Bucket::from_decimal(1, single_decimal(integer, scale))});
      return;
    }
    singles.slots.push_back(slot);
    singles.sums.push_back(integer);
  };
  const auto add_row = [&](const EntryRow& row) {
    if (!singles.slots.empty() && row.scale != run.singles.scale) {
      for (size_t i = 0; i < row.integers.size(); ++i)
        add_single(row.first_slot + static_cast<Slot>(i), row.integers[i], row.scale);
      return;
    }
    run.singles.scale = row.scale;
    const size_t before = singles.slots.size();
    singles.slots.resize(before + row.integers.size());
    std::iota(singles.slots.begin() + static_cast<ptrdiff_t>(before), singles.slots.end(), row.first_slot);
    singles.sums.insert(singles.sums.end(), row.integers.begin(), row.integers.end());
  };
  const auto combine = walk_run(payload, first_slot, chunk_slots, add_row, [&](const SlotBucket& b) {
    if (b.bucket.count() > 1 || !b.bucket.is_decimal()) {
      if (run.buckets.empty()) run.buckets.reserve(entries_max);
      return run.buckets.push_back(b);
    }
    add_single(b.slot, b.bucket.decimal().sum, b.bucket.scale());
  });
  if (!combine) return std::nullopt;
  run.singles.combine = *combine;
  return run;
}

std::optional<DecodedGroup> decode_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots) {
  DecodedGroup group;
  // An entry has at least one byte, most have two.
  group.buckets.reserve(std::min(static_cast<size_t>(chunk_slots), payload.size() / 2 + 1));
  const auto combine = walk_run(
      payload, first_slot, chunk_slots,
      [&](const EntryRow& row) {
        Slot slot = row.first_slot;
        for (const int64_t integer : row.integers)
          group.buckets.push_back({slot++, Bucket::from_decimal(1, single_decimal(integer, row.scale))});
      },
      [&](const SlotBucket& b) { group.buckets.push_back(b); });
  if (!combine) return std::nullopt;
  group.combine = *combine;
  return group;
}

}  // namespace statmill
