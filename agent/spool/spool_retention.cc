// The part of Spool that decides what is kept and what is removed.
#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/spool/segment_cursor.h"
#include "agent/spool/spool.h"
#include "base/check.h"

namespace statmill {
namespace {

constexpr Duration kAcknowledgedSaveInterval = std::chrono::minutes(1);

}  // namespace

uint64_t Spool::first_seq() const {
  for (const auto& [first_seq, segment] : segments_) {
    if (segment.has_records()) return first_seq;
  }
  return next_seq();
}

void Spool::acknowledged(size_t server, const SpoolPosition& position, std::optional<AgentRun> ahead) {
  SM_CHECK(server < acknowledged_.size());
  acknowledged_ahead_[server] = ahead;
  acknowledged_[server] = position.seq <= durable_seq_ ? position : SpoolPosition{durable_seq_, next_.lines};
}

SpoolPosition Spool::acknowledged_by_all() const {
  SpoolPosition least{kSeqMax, kSeqMax};
  for (const auto& position : acknowledged_) {
    if (const SpoolPosition known = position.value_or(SpoolPosition()); known.seq < least.seq) least = known;
  }
  return least;
}

bool Spool::have_all_reported() const {
  return std::all_of(acknowledged_.begin(), acknowledged_.end(),
                     [](const auto& position) { return position.has_value(); });
}

bool Spool::has_been_acknowledged_by_all(uint64_t seq) const {
  for (size_t i = 0; i < acknowledged_.size(); ++i) {
    const auto& run = acknowledged_ahead_[i];
    const bool is_in_run = run && seq > run->after && seq <= run->last.seq;
    if (!is_in_run && acknowledged_[i].value_or(SpoolPosition()).seq < seq) return false;
  }
  return true;
}

Status Spool::save_acknowledged() {
  const SpoolPosition acknowledged = acknowledged_by_all();
  if (!identity_.has_begun || !have_all_reported() || acknowledged == identity_.acknowledged)
    return Status::ok();
  SpoolIdentity noted = identity_;
  noted.acknowledged = acknowledged;
  if (Status status = write_identity(directory_, noted); !status) return status;
  identity_ = std::move(noted);
  return Status::ok();
}

Status Spool::trim(Timestamp now) {
  const uint64_t acknowledged = acknowledged_by_all().seq;
  uint64_t kept = 0;
  for (auto& [first_seq, segment] : segments_) {
    if (segment.last.seq > acknowledged) {
      segment.acknowledged_at.reset();
      continue;
    }
    segment.acknowledged_at = std::min(segment.acknowledged_at.value_or(now), now);
    kept += segment.bytes;
  }
  while (may_remove_oldest() && segments_.begin()->second.acknowledged_at) {
    const Segment& oldest = segments_.begin()->second;
    if (now - *oldest.acknowledged_at < options_.keep_for && kept <= options_.keep_bytes) break;
    kept -= oldest.bytes;
    if (Status status = remove_oldest(); !status) return status;
  }
  if (Status status = keep_within_bounds(); !status) return status;
  if (acknowledged_checked_at_ &&
      std::chrono::abs(now - *acknowledged_checked_at_) < kAcknowledgedSaveInterval)
    return Status::ok();
  acknowledged_checked_at_ = now;
  return save_acknowledged();
}

Status Spool::keep_within_bounds() {
  while (bytes_ > options_.bytes_max && may_remove_oldest()) {
    const uint64_t last = segments_.begin()->second.last.seq;
    if (options_.keeps_unacknowledged && !has_been_acknowledged_by_all(last)) break;
    if (Status status = remove_oldest(); !status) return status;
  }
  return Status::ok();
}

bool Spool::is_full_for(size_t bytes) const {
  uint64_t needed = bytes_ + waiting_bytes_ + kSegmentHeaderBytes + bytes;
  for (const auto& [first_seq, segment] : segments_) {
    if (needed <= options_.bytes_max || !has_been_acknowledged_by_all(segment.last.seq)) break;
    needed -= segment.bytes;
  }
  return needed > options_.bytes_max;
}

// The newest records are never removed, even if acknowledged: without any record the numbering would be lost.
bool Spool::may_remove_oldest() const {
  return std::any_of(std::next(segments_.begin()), segments_.end(),
                     [](const auto& segment) { return segment.second.has_records(); });
}

// Removes one segment at a time, so that a power cut can only bring back the newest of the removed ones,
// which leaves no gap.
Status Spool::remove_oldest() {
  if (Status status = finish_removal(); !status) return status;
  const auto oldest = segments_.begin();
  const uint64_t lacked = lines_lacked(oldest->second);
  if (Status status = directory_.remove(oldest->second.name()); !status) return status;
  stats_.lines_dropped_full += lacked;
  ++stats_.segments_removed;
  bytes_ -= oldest->second.bytes;
  segments_.erase(oldest);
  is_removal_unsynced_ = true;
  return finish_removal();
}

Status Spool::finish_removal() {
  if (!is_removal_unsynced_) return Status::ok();
  if (Status status = directory_.sync(); !status) return status;
  is_removal_unsynced_ = false;
  return Status::ok();
}

// The lines of the segment that not all servers have acknowledged.
uint64_t Spool::lines_lacked(const Segment& segment) const {
  const uint64_t acknowledged = acknowledged_by_all().seq;
  if (acknowledged >= segment.last.seq) return 0;
  SegmentCursor cursor(directory_, segment);
  // If the segment cannot be read, all lines not known to be acknowledged count.
  while (cursor.position().seq < acknowledged) {
    const auto record = cursor.next();
    if (!record || !record->has_value()) break;
  }
  uint64_t lacked = segment.last.lines - std::min(cursor.position().lines, segment.last.lines);
  const bool has_runs = std::any_of(acknowledged_ahead_.begin(), acknowledged_ahead_.end(),
                                    [&](const auto& run) { return run && run->after < segment.last.seq; });
  while (has_runs) {
    const auto record = cursor.next();
    if (!record || !record->has_value()) break;
    if (has_been_acknowledged_by_all((*record)->seq)) lacked -= (*record)->lines;
  }
  return lacked;
}

Status Spool::change_identity(GapReason reason, SteadyTime now) {
  if (!may_change_identity(now)) {
    return Error{ErrorCode::kBusy, "the agent has changed its identity recently"};
  }
  const SpoolPosition acknowledged = have_all_reported() ? acknowledged_by_all() : identity_.acknowledged;
  const auto written = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                    [](const Waiting& batch) { return batch.was_written; });
  const uint64_t lines = written != waiting_.rend() ? written->after().lines
                         : waiting_.empty()         ? next_.lines
                                                    : waiting_.front().before.lines;
  const uint64_t lost = lines - std::min(acknowledged.lines, lines);
  SpoolIdentity identity = new_identity(random_, identity_.location, {lost, reason});
  if (Status status = write_identity(directory_, identity); !status)
    return std::move(status).error().with("write the spool");
  identity_changed_at_ = now;
  identity_ = std::move(identity);
  values_.renumber({identity_.id, identity_.epoch});
  stats_.lines_abandoned += lost;
  Segment first;
  first.before = first.last = identity_.start();
  segments_.clear();
  segments_.emplace(first.first_seq(), first);
  file_.reset();
  resume_after_newest();
  std::fill(acknowledged_.begin(), acknowledged_.end(), std::nullopt);
  std::fill(acknowledged_ahead_.begin(), acknowledged_ahead_.end(), std::nullopt);
  drop_written();
  renumber_waiting();
  static_cast<void>(begin_if_due());  // if it fails, the next sync() tries again
  return Status::ok();
}

// Removes the segments of the previous identity before anything of the new one is written.
Status Spool::begin_if_due() {
  if (identity_.has_begun) return Status::ok();
  auto segment = begin_numbering(directory_, identity_);
  if (!segment) return std::move(segment).error();
  segments_.clear();
  segments_.emplace(segment->first_seq(), *segment);
  bytes_ = segment->bytes;
  is_removal_unsynced_ = false;
  return Status::ok();
}

// Drops waiting batches that were written to a file: a clone may send them from its copy of it.
void Spool::drop_written() {
  const auto written = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                    [](const Waiting& batch) { return batch.was_written; });
  waiting_.erase(waiting_.begin(), written.base());
}

void Spool::renumber_waiting() {
  std::deque<Waiting> waiting = std::exchange(waiting_, {});
  const SpoolStats stats = stats_;  // the batches are already counted
  waiting_bytes_ = 0;
  for (const Waiting& batch : waiting) {
    const FrameRead frame = read_frame(batch.frame);
    const auto decoded = decode_batch(frame.payload);
    add_batch(decoded->text, decoded->tags, batch.time);
  }
  stats_ = stats;
}

const Segment* Spool::segment_holding(uint64_t seq) const {
  auto it = segments_.upper_bound(seq);
  if (it != segments_.begin()) --it;
  while (it != segments_.end() && (it->second.last.seq < seq || !it->second.has_records())) ++it;
  return it == segments_.end() ? nullptr : &it->second;
}

const Segment* Spool::segment_at(uint64_t first_seq) const {
  const auto it = segments_.find(first_seq);
  return it == segments_.end() ? nullptr : &it->second;
}

void Spool::count_damaged(uint64_t first_seq, uint64_t before, uint64_t seq) {
  Segment& segment = segments_.at(first_seq);
  before = std::max(before, segment.damaged_to);
  if (seq <= before) return;
  stats_.batches_damaged += seq - before;
  segment.damaged_to = seq;
}

}  // namespace statmill
