// ColumnReader: the buckets of series in the slots of one tier, as columns, from all pieces there are. Every
// sample counts exactly once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/query/query_control.h"
#include "server/query/read/host_presence.h"
#include "server/query/read/piece_source.h"
#include "server/query/read/slot_span.h"
#include "storage/expiry.h"
#include "storage/retention.h"
#include "storage/slot_columns.h"

namespace statmill {

// The slots of one series. Those of events and counters hold the rates per second of slots of the finest
// tier, or of the detail tier if that is read. Silent slots of an event series are zeros, from its first slot
// to the present one, but if the series is of a host whose presence is known, only where the host was
// present. Those of others are absent.
struct SeriesSlots {
  SlotColumns columns;
  // The slot of an event or counter series that is still under way. Its total is in here instead of
  // `columns`, as a rate over the whole slot. A counter has none if the slot is silent.
  struct Open {
    Slot slot = 0;  // in the finest tier
    Bucket rate;
  };
  std::optional<Open> open = std::nullopt;
};

// For the series of one view. Confined to one thread.
class ColumnReader {
 public:
  // The references must outlive the reader. `now` decides which slot of events and counters is open.
  // `presence` of the same query; nullptr: no host's presence is known.
  ColumnReader(const Retention& retention, const Expiry& expiry, SeriesView& view, Timestamp now, Parts parts,
               const QueryControl& control, HostPresence* presence = nullptr);

  // Returns one element per series of `series`, which are indices of the view. A slot of a coarser tier has
  // its rolled-up bucket, or what the finest tier and RAM have of it. Requires: a span of the detail tier is
  // one of whole slots of the finest tier. Errors: from the view, and of the control, which it asks before
  // each chunk of a series.
  // Cost: reads the chunks of all series of a chunk number at once.
  Result<std::vector<SeriesSlots>> read(std::span<const size_t> series, SlotSpan span);

  // A span of the detail tier that is read from now on must have samples in half of its seconds.
  void want_dense_detail() { wants_dense_detail_ = true; }
  // Returns true if a span of the detail tier was read that tells less than the finest tier (detail_check.h):
  // detail was turned on later, or chunks are damaged, or the samples are ten seconds apart.
  bool lacks_detail() const { return lacks_detail_; }
  uint64_t damaged_frames() const { return damaged_frames_; }
  uint64_t chunks() const { return chunks_; }  // read so far
  uint64_t cached() const { return cached_; }  // of them, those whose columns a cache had
  uint64_t bytes() const { return bytes_; }    // size of their frames

 private:
  // A series and where its slots go.
  struct Target {
    size_t series = 0;
    SlotColumns* columns = nullptr;
    Slot first = 0;  // the slots that the series may have in the span
    Slot end = 0;
  };
  Target target_of(size_t series, SlotSpan span, SlotColumns& columns) const;
  Status load(std::span<const Target> targets, SlotSpan span);
  Status read_fine(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out);
  Status read_totals(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out);
  void finish_amounts(size_t series, SlotSpan span, SeriesSlots& slots) const;
  Status compare_with_finest(std::span<const size_t> series, SlotSpan span,
                             std::span<const SeriesSlots> detail);
  bool is_detail(SlotSpan span) const { return tiers_.is_detail(span.tier); }
  Status read_coarse(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out);
  Status add_tail(std::span<const size_t> series, SlotSpan span, std::vector<SeriesSlots>& out);
  Status add_late(size_t series, SlotSpan span, SlotColumns& columns);
  Status add_late_amounts(size_t series, SlotSpan span, const SeriesView::RamSlots& late,
                          SlotColumns& columns);
  Status load_presence(std::span<const size_t> series, SlotSpan span);
  const HostPresence::Host* presence_of(size_t series) const;
  void add_silence(size_t series, SlotSpan span, SlotColumns& columns) const;
  int64_t kept_from_s(size_t series, TierNo tier) const;
  Slot rolled_slot(size_t series) const;  // slots of the finest tier below it are in the coarser tiers

  const Tiers& tiers_;
  const Expiry& expiry_;
  SeriesView& view_;
  const int64_t now_s_;
  const Slot now_slot_;  // of the finest tier
  const Parts parts_;
  const QueryControl& control_;
  HostPresence* const presence_;
  std::vector<SlotColumns*> columns_of_;  // by series of the view; valid for those that load() reads
  bool wants_dense_detail_ = false;
  bool lacks_detail_ = false;
  uint64_t damaged_frames_ = 0;
  uint64_t chunks_ = 0;
  uint64_t cached_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace statmill
