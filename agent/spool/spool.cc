#include "agent/spool/spool.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

constexpr size_t kSegmentsMin = 8;  // within bytes_max, so that removing the oldest removes at most 1/8

SpoolOptions sensible(SpoolOptions options) {
  options.segment_bytes = std::min(options.segment_bytes, options.bytes_max / kSegmentsMin);
  options.servers = std::max<size_t>(options.servers, 1);
  return options;
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::open(SpoolDirectory& directory, const SpoolOptions& options,
                                           const SpoolLocation& location, RandomSource random) {
  auto recovered = recover_spool(directory, location, random);
  if (!recovered) return std::move(recovered).error();
  const SpoolNumbering numbering{recovered->identity.id, recovered->identity.epoch};
  auto values = SpoolValues::open(directory, numbering, recovered->segments.rbegin()->second.last.seq);
  if (!values) return std::move(values).error();
  return std::unique_ptr<Spool>(
      new Spool(directory, sensible(options), std::move(*recovered), *std::move(values), std::move(random)));
}

Spool::Spool(SpoolDirectory& directory, const SpoolOptions& options, RecoveredSpool recovered,
             SpoolValues values, RandomSource random)
    : directory_(directory),
      options_(options),
      random_(std::move(random)),
      identity_(std::move(recovered.identity)),
      recovery_report_(recovered.report),
      segments_(std::move(recovered.segments)),
      values_(std::move(values)),
      acknowledged_(options.servers),
      acknowledged_ahead_(options.servers) {
  stats_.lines_abandoned = recovery_report_.lines_lost;
  resume_after_newest();
}

// Sets the totals and the next batch number from the segments.
void Spool::resume_after_newest() {
  bytes_ = 0;
  for (const auto& [first_seq, segment] : segments_) bytes_ += segment.bytes;
  last_durable_ = newest().has_records() ? newest().last : newest().previous_end;
  next_ = newest().last;
  durable_seq_ = next_.seq;
}

void Spool::append(const LineBatch& batch, Timestamp now) {
  std::string_view text = batch.text;
  SM_CHECK(text.empty() || text.ends_with('\n'));
  SM_CHECK(batch.values.empty() || (!text.empty() && text.size() <= kBatchTextBytesMax));
  while (!text.empty()) {
    std::string_view part = text.substr(0, kBatchTextBytesMax);
    part = part.substr(0, part.rfind('\n') + 1);  // npos + 1 is 0
    if (part.empty()) {
      ++stats_.lines_dropped_too_long;
      text.remove_prefix(text.find('\n') + 1);
      continue;
    }
    add_batch(part, batch.tags, batch.time.value_or(now));
    waiting_.back().values = batch.values;
    text.remove_prefix(part.size());
  }
  if (waiting_bytes_ <= options_.unsynced_bytes_max) return;
  if (const Status status = sync(); !status) drop_over_unsynced_bound();
}

void Spool::append(const BatchFrame& batch) {
  SM_CHECK(batch.seq == next_seq() && batch.lines_before == next_.lines);
  add_batch(batch);
}

void Spool::add_batch(std::string_view text, std::string_view tags, Timestamp now) {
  add_batch({.seq = next_.seq + 1,
             .lines_before = next_.lines,
             .lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')),
             .time = now,
             .tags = tags,
             .text = text});
}

void Spool::add_batch(const BatchFrame& batch) {
  Waiting waiting{
      .before = next_, .lines = batch.lines, .time = batch.time, .frame = {}, .was_written = false};
  append_frame(waiting.frame, batch);
  next_ = waiting.after();
  ++stats_.batches_spooled;
  stats_.lines_spooled += batch.lines;
  waiting_bytes_ += waiting.frame.size();
  waiting_.push_back(std::move(waiting));
}

void Spool::drop_over_unsynced_bound() {
  while (waiting_bytes_ > options_.unsynced_bytes_max && waiting_.size() > 1) drop_oldest_waiting();
}

void Spool::drop_oldest_waiting() {
  stats_.lines_dropped_failed += waiting_.front().lines;
  waiting_bytes_ -= waiting_.front().frame.size();
  waiting_.pop_front();
}

void Spool::add_gap(uint64_t lines) {
  if (const Status status = sync(); !status) {
    while (!waiting_.empty()) drop_oldest_waiting();
  }
  skip_to({next_.seq + 1, next_.lines + lines}, GapReason::kSpoolFull);
  ++stats_.batches_spooled;
  stats_.lines_spooled += lines;
  stats_.lines_dropped_failed += lines;
}

void Spool::skip_to(const SpoolPosition& position, GapReason reason) {
  SM_CHECK(waiting_.empty() && position.seq > next_.seq && position.lines >= next_.lines);
  if (reason != GapReason::kSpoolFull) gap_reasons_.insert_or_assign(position.seq, reason);
  if (gap_reasons_.size() > kReasonsKept) gap_reasons_.erase(gap_reasons_.begin());
  file_.reset();  // there are no gaps within a segment
  next_ = position;
}

Status Spool::sync() {
  while (!waiting_.empty()) {
    Status status = begin_if_due();
    if (status) status = write_segment();
    if (!status) {
      ++stats_.sync_failures;
      file_.reset();  // never written again: its contents are unknown
      return std::move(status).error().with("write the spool");
    }
  }
  return Status::ok();
}

bool Spool::fits(const Waiting& batch, uint64_t end) const {
  return end == kSegmentHeaderBytes || end + batch.frame.size() <= options_.segment_bytes;
}

// Makes the values durable of the batches that write_segment() is about to write.
Status Spool::write_values() {
  std::vector<SpoolValues::OfBatch> values;
  uint64_t end = newest().end;
  for (const Waiting& batch : waiting_) {
    if (!fits(batch, end)) break;
    if (!batch.values.empty()) values.push_back({batch.before.seq + 1, batch.values});
    end += batch.frame.size();
  }
  return values_.append(values);
}

// Writes as many waiting batches as fit into the newest segment, or into a new one if it is full.
Status Spool::write_segment() {
  if (file_ == nullptr || !fits(waiting_.front(), newest().end)) {
    if (Status status = begin_segment(waiting_.front().before); !status) return status;
  }
  if (Status status = write_values(); !status) return status;
  Segment& segment = newest();
  // There are no gaps within a segment: waiting batches are dropped only after a failure, which
  // ends the file.
  SM_CHECK(waiting_.front().before == segment.last);
  auto written = waiting_.begin();
  const uint64_t begin = segment.end;
  uint64_t end = begin;
  for (; written != waiting_.end() && fits(*written, end); ++written) {
    segment.bytes += written->frame.size();
    bytes_ += written->frame.size();
    written->was_written = true;
    if (Status status = file_->append(written->frame); !status) return status;
    end += written->frame.size();
  }
  if (Status status = finish_write(); !status) return status;
  segment.end = end;
  segment.last = last_durable_ = std::prev(written)->after();
  durable_seq_ = last_durable_.seq;
  waiting_bytes_ -= static_cast<size_t>(end - begin);
  for (auto batch = waiting_.begin(); batch != written; ++batch) values_.keep(batch->before.seq + 1);
  waiting_.erase(waiting_.begin(), written);
  return keep_within_bounds();
}

// Syncs the file's bytes first, then its directory entry.
Status Spool::finish_write() {
  ++stats_.syncs;
  if (Status status = file_->sync(); !status) return status;
  if (!is_entry_durable_) {
    if (Status status = directory_.sync(); !status) return status;
    is_entry_durable_ = true;
  }
  newest().is_durable = true;
  return Status::ok();
}

Status Spool::begin_segment(const SpoolPosition& before) {
  file_.reset();
  if (Status status = remove_empty_newest(); !status) return status;
  if (Status status = keep_within_bounds(); !status) return status;
  Segment segment;
  segment.before = segment.last = before;
  segment.previous_end = last_durable_;
  segment.bytes = kSegmentHeaderBytes;
  const auto same = segments_.find(segment.first_seq());
  if (same != segments_.end()) {
    SM_CHECK(same->second.is_durable && !same->second.has_records());
    segment.is_durable = true;  // the old and the new header are equal
  }
  Status made =
      directory_.replace(segment.name(), encode_segment_header({.id = identity_.id,
                                                                .epoch = identity_.epoch,
                                                                .before = segment.before,
                                                                .previous_end = segment.previous_end}));
  if (!made) return made;
  if (same != segments_.end()) bytes_ -= same->second.bytes;
  bytes_ += segment.bytes;
  segments_.insert_or_assign(segment.first_seq(), segment);
  auto file = directory_.open_for_append(segment.name());
  if (!file) return std::move(file).error();
  file_ = std::move(*file);
  is_entry_durable_ = false;
  return Status::ok();
}

// Removes segments left by failed writes. A durable one stays: it may be the only record of the numbering.
Status Spool::remove_empty_newest() {
  while (segments_.size() > 1 && !newest().has_records() && !newest().is_durable) {
    if (Status status = finish_removal(); !status) return status;
    if (Status status = directory_.remove(newest().name()); !status) return status;
    is_removal_unsynced_ = true;
    bytes_ -= newest().bytes;
    segments_.erase(std::prev(segments_.end()));
  }
  return finish_removal();
}

GapReason Spool::gap_reason(uint64_t seq) const {
  const auto found = gap_reasons_.find(seq);
  return found == gap_reasons_.end() ? GapReason::kSpoolFull : found->second;
}

SpoolStats Spool::stats() const {
  SpoolStats stats = stats_;
  stats.bytes = bytes_;
  stats.bytes_unsynced = waiting_bytes_;
  stats.segments = segments_.size();
  return stats;
}

}  // namespace statmill
