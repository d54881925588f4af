// Spool: the batches of an agent that its servers have not yet acknowledged, on disk and within a bound.
//
// A batch is numbered and becomes a frame of the wire when it is appended, is durable after the next sync(),
// and is sent only then (SpoolReader). What all servers have acknowledged is kept for a while all the same: a
// server that comes back older than it was asks for it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/spool/recovery.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "base/clock.h"
#include "base/result.h"
#include "proto/agent/frames.h"

namespace statmill {

struct SpoolOptions {
  size_t bytes_max = size_t{1} << 30;              // of all segments; the files take at most one segment more
  size_t segment_bytes = size_t{4} << 20;          // at most bytes_max / 8, but one batch always has room
  size_t unsynced_bytes_max = size_t{4} << 20;     // in memory: what is not yet durable
  Duration kept_for = std::chrono::minutes(15);    // of what all servers have acknowledged, or
  size_t kept_bytes = size_t{64} << 20;            // the newest of it, whichever is less
  size_t servers = 1;                              // at least 1
  Duration anew_interval = std::chrono::hours(1);  // begin_anew() at most once in that time
};

// Since the spool was opened, but for what there is now.
struct SpoolStats {
  uint64_t bytes = 0;           // of files, now
  uint64_t bytes_unsynced = 0;  // in memory, now
  uint64_t segments = 0;        // now
  uint64_t batches_spooled = 0;
  uint64_t lines_spooled = 0;
  uint64_t lines_dropped_full = 0;      // not acknowledged by all servers, and over bytes_max
  uint64_t lines_dropped_failed = 0;    // the disk failed or hung, and they were over the bound of memory
  uint64_t lines_dropped_too_long = 0;  // a line that fits in no batch
  uint64_t lines_abandoned = 0;         // with the identity that they were numbered under: servers are told
  uint64_t batches_damaged = 0;         // met by a reader
  uint64_t segments_removed = 0;
  uint64_t syncs = 0;
  uint64_t sync_failures = 0;

  // Those that a server will not get.
  uint64_t lines_dropped() const {
    return lines_dropped_full + lines_dropped_failed + lines_dropped_too_long + lines_abandoned;
  }
};

// Confined to one thread. The directory must outlive it.
class Spool {
 public:
  // `place`: where the directory is (DiskDirectory::place). Errors: kVersion; those of the directory, as when
  // its disk is full.
  static Result<std::unique_ptr<Spool>> open(SpoolDirectory& directory, const SpoolOptions& options,
                                             const SpoolPlace& place, RandomSource random);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  const AgentId& id() const { return identity_.id; }
  const AgentSecret& secret() const { return identity_.secret; }
  uint32_t epoch() const { return identity_.epoch; }
  const SpoolFindings& findings() const { return findings_; }

  // Numbers the batch, as several if it is longer than a frame may be. Over the bound of what is not durable
  // it syncs, and if that fails drops the oldest of it. Requires: every line is ended by LF.
  void append(const LineBatch& batch, Timestamp now);
  // Numbers lines that the caller does not have any more, so that servers are told of a gap. What cannot be
  // made durable now is dropped too: it is older.
  void lose(uint64_t lines);
  // Makes durable what was appended. After an error it is still in memory, and the next call tries another
  // file.
  Status sync();

  // The oldest batch held, or the next one if there is none.
  uint64_t first_seq() const;
  uint64_t next_seq() const { return next_.seq + 1; }
  // All batches up to here are durable, or dropped.
  uint64_t durable_seq() const { return durable_seq_; }
  // In all batches appended since the epoch began.
  uint64_t lines() const { return next_.lines; }

  // Takes a new identity: another agent has the one that there is. Batches that were written and are not
  // known to be acknowledged by all servers are given up, and show as the gap lost(); the others are numbered
  // anew. No reader may go on: it must seek first. Errors: kBusy, within anew_interval of the last time;
  // those of the directory. After an error nothing has changed.
  Status begin_anew(GapReason reason, SteadyTime now);
  bool may_begin_anew(SteadyTime now) const { return !anew_at_ || now - *anew_at_ >= options_.anew_interval; }
  // If it has any lines, batch 1 of the numbering stands for it. Empty until that is durable.
  SpoolLoss lost() const { return identity_.has_begun ? identity_.lost : SpoolLoss(); }

  // The server has all up to `position`. May go back, as a server does that is restored from a backup.
  void acknowledged(size_t server, const SpoolPosition& position);
  // Writes down what all servers have, so that a copy of the spool knows what was not sent. trim() does so
  // each minute.
  Status note_acknowledged();
  // Removes segments that have been kept for long enough; to be called each second or so. A step of the clock
  // may end the keeping early, and removes nothing that a server lacks.
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
    bool was_written = false;  // to a file, where a copy of the disk may have it

    SpoolPosition after() const { return {before.seq + 1, before.lines + lines}; }
  };

  Spool(SpoolDirectory& directory, const SpoolOptions& options, RecoveredSpool recovered,
        RandomSource random);

  Segment& newest() { return segments_.rbegin()->second; }
  void add_batch(std::string_view text, Timestamp now);
  void drop_over_unsynced_bound();
  void drop_oldest_waiting();

  Status write_segment();
  Status begin_segment(const SpoolPosition& before);
  Status remove_empty_newest();
  Status finish_write();

  void stand_at_newest();
  Status begin_if_due();
  // Of a server that has not said since the start nothing is known.
  SpoolPosition acknowledged_by_all() const;
  bool have_all_said() const;
  uint64_t lines_lacked(const Segment& segment) const;
  Status keep_within_bounds();
  bool may_remove_oldest() const;
  Status remove_oldest();
  Status finish_removal();
  void drop_written();
  void renumber_waiting();

  // For SpoolReader. The first segment with a record of `seq` or behind; null: none.
  const Segment* segment_holding(uint64_t seq) const;
  const Segment* segment_at(uint64_t first_seq) const;
  // Batches after `before` up to `seq` of the segment are damaged.
  void count_damaged(uint64_t first_seq, uint64_t before, uint64_t seq);

  SpoolDirectory& directory_;
  const SpoolOptions options_;
  const RandomSource random_;
  SpoolIdentity identity_;  // if it has not begun, nothing is written before it has
  SpoolFindings findings_;
  Segments segments_;   // never empty
  uint64_t bytes_ = 0;  // of their files
  bool is_removal_unsynced_ = false;
  std::unique_ptr<SpoolFile> file_;  // of the newest segment; null: the next write begins another
  bool is_entered_ = false;          // the directory's entry of file_ is durable
  SpoolPosition held_;               // the last record that is durable
  uint64_t durable_seq_ = 0;         // >= held_.seq
  SpoolPosition next_;               // what precedes the next batch
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;  // of the frames; <= unsynced_bytes_max between calls, or one batch
  std::vector<std::optional<SpoolPosition>>
      acknowledged_;                   // by server; none: it has not said, since the start
  std::optional<Timestamp> noted_at_;  // of the last look at what is to be noted
  std::optional<SteadyTime> anew_at_;  // the last begin_anew()
  SpoolStats stats_;
};

}  // namespace statmill
