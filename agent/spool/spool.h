// Spool: the agent's batches that its servers have not yet acknowledged, on disk and within a size limit.
//
// append() numbers a batch and encodes it as a frame of the wire format. The next sync() makes it durable,
// and only then SpoolReader returns it for sending. Batches that all servers have acknowledged are kept for a
// while: a server restored from a backup asks for them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/spool/recovery.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "agent/spool/spool_values.h"
#include "base/clock.h"
#include "base/result.h"
#include "proto/agent/frames.h"

namespace statmill {

struct SpoolOptions {
  size_t bytes_max = size_t{1} << 30;            // all segments; files may exceed it by one segment
  size_t segment_bytes = size_t{4} << 20;        // at most bytes_max / 8, but always room for one batch
  size_t unsynced_bytes_max = size_t{4} << 20;   // batches in memory that are not yet durable
  Duration keep_for = std::chrono::minutes(15);  // how long fully acknowledged batches are kept, or
  size_t keep_bytes = size_t{64} << 20;          // how many bytes of them, whichever is less
  size_t servers = 1;                            // at least 1
  // Never remove what a server lacks: then files may exceed bytes_max, and the caller asks is_full_for().
  bool keeps_unacknowledged = false;
  Duration identity_change_interval = std::chrono::hours(1);  // minimum time between two change_identity()
};

// Counted since the spool was opened, except for those marked "now".
struct SpoolStats {
  uint64_t bytes = 0;           // of files, now
  uint64_t bytes_unsynced = 0;  // in memory, now
  uint64_t segments = 0;        // now
  uint64_t batches_spooled = 0;
  uint64_t lines_spooled = 0;
  uint64_t lines_dropped_full = 0;      // dropped over bytes_max before all servers had acknowledged them
  uint64_t lines_dropped_failed = 0;    // dropped over unsynced_bytes_max while the disk failed or hung
  uint64_t lines_dropped_too_long = 0;  // lines too long for a batch
  uint64_t lines_abandoned = 0;         // given up with their identity; servers get a gap
  uint64_t batches_damaged = 0;         // found by readers
  uint64_t segments_removed = 0;
  uint64_t syncs = 0;
  uint64_t sync_failures = 0;

  // Lines that at least one server will not get.
  uint64_t lines_dropped() const {
    return lines_dropped_full + lines_dropped_failed + lines_dropped_too_long + lines_abandoned;
  }
};

// Confined to one thread. The directory must outlive it.
class Spool {
 public:
  // `location` identifies the machine and the directory (DiskDirectory::location). Errors: kVersion; those of
  // the directory, for example if its disk is full.
  static Result<std::unique_ptr<Spool>> open(SpoolDirectory& directory, const SpoolOptions& options,
                                             const SpoolLocation& location, RandomSource random);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  const AgentId& id() const { return identity_.id; }
  const AgentSecret& secret() const { return identity_.secret; }
  uint32_t epoch() const { return identity_.epoch; }
  const RecoveryReport& recovery_report() const { return recovery_report_; }

  // Numbers the batch, split into several if it exceeds the size of a frame. If the unsynced batches exceed
  // their limit, syncs; if that fails, drops the oldest of them. `now` is the time of a batch that has none.
  // Requires: every line ends with LF.
  void append(const LineBatch& batch, Timestamp now);
  // Appends a batch that has its number already: another agent made it. Requires: its numbers follow those
  // before it, and bytes_unsynced is within its limit afterwards.
  void append(const BatchFrame& batch);
  // Leaves out all batches up to `position`, so that servers get a gap. Requires: `position` is after the
  // last batch, and nothing is unsynced. The reason is kept in memory only, that of the last kReasonsKept
  // gaps.
  void skip_to(const SpoolPosition& position, GapReason reason);
  static constexpr size_t kReasonsKept = 64;
  // Returns the reason of the gap that ends with batch `seq`; kSpoolFull if it is not known.
  GapReason gap_reason(uint64_t seq) const;
  // Numbers lines that the caller has dropped, so that servers get a gap. Unsynced batches that cannot be
  // made durable now are dropped, too, because they are older.
  void add_gap(uint64_t lines);
  // Makes all appended batches durable. After an error they are still in memory, and the next call tries
  // another file.
  Status sync();

  // Returns the last values of counters that its durable batches have (LineBatch::values).
  std::vector<LastValue> values() const { return values_.all(); }

  // The oldest stored batch, or the next one if the spool is empty.
  uint64_t first_seq() const;
  uint64_t next_seq() const { return next_.seq + 1; }
  // All batches up to this one are durable or dropped.
  uint64_t durable_seq() const { return durable_seq_; }
  // The number of lines in all batches appended since the epoch began.
  uint64_t lines() const { return next_.lines; }
  // What all servers had when that was stored last; may be too low.
  const SpoolPosition& saved_acknowledged() const { return identity_.acknowledged; }
  // The number of lines that are stored.
  uint64_t lines_stored() const { return next_.lines - segments_.begin()->second.before.lines; }
  // True if another batch of `bytes` would exceed bytes_max though all segments were removed that all servers
  // have.
  bool is_full_for(size_t bytes) const;

  // Changes to a new identity because another agent uses the current one. Batches that were written and are
  // not known to be acknowledged by all servers are given up and become the gap lost(); the others get new
  // numbers. Readers must seek() before they continue. Errors: kBusy, within identity_change_interval of the
  // last change; those of the directory. After an error nothing has changed.
  Status change_identity(GapReason reason, SteadyTime now);
  bool may_change_identity(SteadyTime now) const {
    return !identity_changed_at_ || now - *identity_changed_at_ >= options_.identity_change_interval;
  }
  // The lines given up with the previous identity. If there are any, batch 1 is a gap with these lines. Empty
  // until the new identity is durable.
  SpoolLoss lost() const { return identity_.has_begun ? identity_.lost : SpoolLoss(); }

  // Records that the server has all batches up to `position`, and those of the run `ahead`. The position may
  // go back: a server restored from a backup has less than before.
  void acknowledged(size_t server, const SpoolPosition& position, std::optional<AgentRun> ahead = {});
  // Stores on disk what all servers have acknowledged, so that a copy of the spool knows what was not sent.
  // trim() also does this once a minute.
  Status save_acknowledged();
  // Removes segments that have been kept for long enough. Call it about once a second. If the clock jumps,
  // segments may be removed early, but never before all servers have them.
  Status trim(Timestamp now);

  SpoolStats stats() const;

 private:
  friend class SpoolReader;

  // A batch that is not yet durable.
  struct Waiting {
    SpoolPosition before;
    uint32_t lines;
    Timestamp time;
    std::string frame;
    bool was_written = false;  // written to a file, so that a copy of the disk may contain it
    std::vector<LastValue> values = {};

    SpoolPosition after() const { return {before.seq + 1, before.lines + lines}; }
  };

  Spool(SpoolDirectory& directory, const SpoolOptions& options, RecoveredSpool recovered, SpoolValues values,
        RandomSource random);

  Segment& newest() { return segments_.rbegin()->second; }
  void add_batch(std::string_view text, std::string_view tags, Timestamp now);
  void add_batch(const BatchFrame& batch);
  void drop_over_unsynced_bound();
  void drop_oldest_waiting();

  bool fits(const Waiting& batch, uint64_t end) const;  // into the newest segment, at `end`
  Status write_values();
  Status write_segment();
  Status begin_segment(const SpoolPosition& before);
  Status remove_empty_newest();
  Status finish_write();

  void resume_after_newest();
  Status begin_if_due();
  // Zero if some server has not reported its position since the start.
  SpoolPosition acknowledged_by_all() const;
  bool have_all_reported() const;
  bool has_been_acknowledged_by_all(uint64_t seq) const;
  uint64_t lines_lacked(const Segment& segment) const;
  Status keep_within_bounds();
  bool may_remove_oldest() const;
  Status remove_oldest();
  Status finish_removal();
  void drop_written();
  void renumber_waiting();

  // For SpoolReader. Returns the first segment that has a record numbered `seq` or later, or null.
  const Segment* segment_holding(uint64_t seq) const;
  const Segment* segment_at(uint64_t first_seq) const;
  // Counts the batches after `before` up to `seq` of the segment as damaged.
  void count_damaged(uint64_t first_seq, uint64_t before, uint64_t seq);

  SpoolDirectory& directory_;
  const SpoolOptions options_;
  const RandomSource random_;
  SpoolIdentity identity_;  // if its numbering has not begun, nothing is written before it has
  RecoveryReport recovery_report_;
  Segments segments_;   // never empty
  uint64_t bytes_ = 0;  // of all segment files
  bool is_removal_unsynced_ = false;
  std::unique_ptr<SpoolFile> file_;  // of the newest segment; null: the next write begins a segment
  bool is_entry_durable_ = false;    // the directory entry of file_ is durable
  SpoolPosition last_durable_;       // the last durable record
  uint64_t durable_seq_ = 0;         // >= last_durable_.seq
  SpoolValues values_;
  SpoolPosition next_;                         // the position before the next batch
  std::map<uint64_t, GapReason> gap_reasons_;  // by the last batch of the gap
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;  // of the frames; between calls <= unsynced_bytes_max, or one batch
  // by server; nullopt: it has not reported since the start
  std::vector<std::optional<SpoolPosition>> acknowledged_;
  std::vector<std::optional<AgentRun>> acknowledged_ahead_;  // by server
  std::optional<Timestamp> acknowledged_checked_at_;         // when save of acknowledged_ was last considered
  std::optional<SteadyTime> identity_changed_at_;            // the last change_identity()
  SpoolStats stats_;
};

}  // namespace statmill
