// Spool: what it keeps and what it lets go. See spool.h.
#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/spool/segment_cursor.h"
#include "agent/spool/spool.h"
#include "base/check.h"

namespace statmill {

uint64_t Spool::first_seq() const {
  for (const auto& [first_seq, segment] : segments_) {
    if (segment.has_records()) return first_seq;
  }
  return next_seq();
}

void Spool::acknowledged(size_t server, uint64_t seq) {
  SM_CHECK(server < acknowledged_.size());
  acknowledged_[server] = std::min(seq, durable_seq_);
}

uint64_t Spool::acknowledged_by_all() const {
  return *std::min_element(acknowledged_.begin(), acknowledged_.end());
}

Status Spool::trim(Timestamp now) {
  const uint64_t acknowledged = acknowledged_by_all();
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
    if (now - *oldest.acknowledged_at < options_.kept_for && kept <= options_.kept_bytes) break;
    kept -= oldest.bytes;
    if (Status status = remove_oldest(); !status) return status;
  }
  return keep_within_bounds();
}

Status Spool::keep_within_bounds() {
  while (bytes_ > options_.bytes_max && may_remove_oldest()) {
    if (Status status = remove_oldest(); !status) return status;
  }
  return Status::ok();
}

// The newest records stay, whoever has them: without any the numbering would be lost.
bool Spool::may_remove_oldest() const {
  return std::any_of(std::next(segments_.begin()), segments_.end(),
                     [](const auto& segment) { return segment.second.has_records(); });
}

// One by one, so that a power cut brings back the newest of those that were removed, and leaves no hole.
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

// Those of its lines that not all servers have acknowledged.
uint64_t Spool::lines_lacked(const Segment& segment) const {
  const uint64_t acknowledged = acknowledged_by_all();
  if (acknowledged >= segment.last.seq) return 0;
  SegmentCursor cursor(directory_, segment);
  // A segment that cannot be read lacks all that is not known to be acknowledged.
  while (cursor.position().seq < acknowledged) {
    const auto record = cursor.next();
    if (!record || !record->has_value()) break;
  }
  return segment.last.lines - std::min(cursor.position().lines, segment.last.lines);
}

Status Spool::skip_to(const AgentPosition& position) {
  if (position.seq <= durable_seq_ && position.lines <= next_.lines) return Status::ok();
  if (position.seq > kSeqMax || position.lines > kSeqMax) {
    return Error{ErrorCode::kInvalid, "a server has batch " + std::to_string(position.seq)};
  }
  next_ = {std::max(position.seq, durable_seq_), position.lines};
  if (const uint64_t dropped = drop_superseded(); dropped > 0) {
    // One number stands for them: servers are told of a gap of so many lines before the next batch.
    next_ = {next_.seq + 1, next_.lines + dropped};
  }
  durable_seq_ = begun_seq_ = next_.seq;
  Status status = begin_segment(next_);
  if (status) status = finish_write();
  renumber_waiting();
  if (status) return status;
  ++stats_.sync_failures;
  file_.reset();
  return std::move(status).error().with("write the spool");
}

// What this start has made durable: a server has other batches of these numbers. Gives the lines.
uint64_t Spool::drop_superseded() {
  uint64_t lines = 0;
  for (auto& [first_seq, segment] : segments_) {
    if (segment.before.seq < begun_seq_) continue;
    if (!segment.has_records()) continue;
    lines += segment.last.lines - segment.before.lines;
    segment.last = segment.before;
    segment.is_durable = false;  // nothing stands on it any more
  }
  stats_.lines_superseded += lines;
  held_ = begun_held_;
  return lines;
}

void Spool::renumber_waiting() {
  std::deque<Waiting> waiting = std::exchange(waiting_, {});
  const SpoolStats stats = stats_;  // they have been counted
  waiting_bytes_ = 0;
  for (const Waiting& batch : waiting) {
    const FrameRead frame = read_frame(batch.frame);
    add_batch(decode_batch(frame.payload)->text, batch.time);
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
