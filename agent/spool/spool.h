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
#include <string>
#include <string_view>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/spool/recovery.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "base/clock.h"
#include "base/result.h"
#include "proto/agent_frames.h"

namespace statmill {

struct SpoolOptions {
  size_t bytes_max = size_t{1} << 30;            // of all segments; the files take at most one segment more
  size_t segment_bytes = size_t{4} << 20;        // at most bytes_max / 8, but one batch always has room
  size_t unsynced_bytes_max = size_t{4} << 20;   // in memory: what is not yet durable
  Duration kept_for = std::chrono::minutes(15);  // of what all servers have acknowledged, or
  size_t kept_bytes = size_t{64} << 20;          // the newest of it, whichever is less
  size_t servers = 1;                            // at least 1
};

// Since the spool was opened, but for what there is now.
struct SpoolStats {
  uint64_t bytes = 0;           // of files, now
  uint64_t bytes_unsynced = 0;  // in memory, now
  uint64_t segments = 0;        // now
  uint64_t batches_spooled = 0;
  uint64_t lines_spooled = 0;
  uint64_t lines_dropped_full = 0;      // not acknowledged by all servers, and over bytes_max
  uint64_t lines_dropped_failed = 0;    // the disk failed, and they were over unsynced_bytes_max
  uint64_t lines_dropped_too_long = 0;  // a line that fits in no batch
  uint64_t lines_superseded = 0;        // numbered as others that a server has: skip_to()
  uint64_t batches_damaged = 0;         // met by a reader
  uint64_t segments_removed = 0;
  uint64_t syncs = 0;
  uint64_t sync_failures = 0;
};

// Confined to one thread. The directory must outlive it.
class Spool {
 public:
  // `place`: text that differs where the directory was copied to (DiskDirectory::place). Errors: kVersion;
  // those of the directory, as when its disk is full.
  static Result<std::unique_ptr<Spool>> open(SpoolDirectory& directory, const SpoolOptions& options,
                                             std::string_view place, const RandomSource& random);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  const AgentId& id() const { return identity_.id; }
  uint32_t epoch() const { return identity_.epoch; }
  const SpoolFindings& findings() const { return findings_; }

  // Numbers the batch, as several if it is longer than a frame may be. Over the bound of what is not durable
  // it syncs, and if that fails drops the oldest of it. Requires: every line is ended by LF.
  void append(const LineBatch& batch, Timestamp now);
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

  // A server knows of later batches, or more lines, than are here: the disk is that of an earlier day.
  // Numbers go on behind `position`, durably; batches of this start whose numbers the server has for others
  // are dropped if they are durable, and show as a gap before the next batch; else they are numbered anew.
  // Does nothing for a position that is durable here. Errors: kInvalid (a position that no agent comes to);
  // those of the directory: the numbers are taken all the same, and become durable with the next batch.
  Status skip_to(const AgentPosition& position);

  // The server has all up to `seq`. May go back, as a server does that is restored from a backup.
  void acknowledged(size_t server, uint64_t seq);
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

    SpoolPosition after() const { return {before.seq + 1, before.lines + lines}; }
  };

  Spool(SpoolDirectory& directory, const SpoolOptions& options, RecoveredSpool recovered);

  Segment& newest() { return segments_.rbegin()->second; }
  void add_batch(std::string_view text, Timestamp now);
  void drop_over_unsynced_bound();

  Status write_segment();
  Status begin_segment(const SpoolPosition& before);
  Status remove_empty_newest();
  Status finish_write();

  uint64_t acknowledged_by_all() const;
  uint64_t lines_lacked(const Segment& segment) const;
  Status keep_within_bounds();
  bool may_remove_oldest() const;
  Status remove_oldest();
  Status finish_removal();
  uint64_t drop_superseded();
  void renumber_waiting();

  // For SpoolReader. The first segment with a record of `seq` or behind; null: none.
  const Segment* segment_holding(uint64_t seq) const;
  const Segment* segment_at(uint64_t first_seq) const;
  // Batches after `before` up to `seq` of the segment are damaged.
  void count_damaged(uint64_t first_seq, uint64_t before, uint64_t seq);

  SpoolDirectory& directory_;
  const SpoolOptions options_;
  SpoolIdentity identity_;
  SpoolFindings findings_;
  Segments segments_;   // never empty
  uint64_t bytes_ = 0;  // of their files
  bool is_removal_unsynced_ = false;
  std::unique_ptr<SpoolFile> file_;  // of the newest segment; null: the next write begins another
  bool is_entered_ = false;          // the directory's entry of file_ is durable
  SpoolPosition held_;               // the last record that is durable
  uint64_t durable_seq_ = 0;         // >= held_.seq
  SpoolPosition next_;               // what precedes the next batch
  uint64_t begun_seq_ = 0;           // durable_seq_ at the start, or after the last skip
  SpoolPosition begun_held_;         // held_ at the start
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;  // of the frames; <= unsynced_bytes_max between calls, or one batch
  std::vector<uint64_t> acknowledged_;
  SpoolStats stats_;
};

}  // namespace statmill
