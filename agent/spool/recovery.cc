#include "agent/spool/recovery.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/spool/segment_cursor.h"

namespace statmill {
namespace {

using Identity = RecoveryReport::Identity;

// A segment as found on disk.
struct FoundSegment {
  std::optional<SegmentHeader> header;  // nullopt: damaged
  uint64_t bytes = 0;
};

class Recovery {
 public:
  Recovery(SpoolDirectory& directory, const SpoolLocation& location, const RandomSource& random)
      : directory_(directory), location_(location), random_(random) {}

  Result<RecoveredSpool> run() {
    // Steps that may refuse the spool come before steps that change it.
    for (const auto step : {&Recovery::find_identity, &Recovery::find_segments, &Recovery::remove_foreign,
                            &Recovery::find_segment_ends, &Recovery::scan_newest, &Recovery::make_durable,
                            &Recovery::begin_if_due}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    return std::move(spool_);
  }

 private:
  Status find_identity();
  Status find_segments();
  Status remove_foreign();
  Status find_segment_ends();
  Status scan_newest();
  Status make_durable();
  Status begin_if_due();

  // True if the identity and the batches of its numbering are kept.
  bool keeps_identity() const {
    return spool_.report.identity == Identity::kKept && spool_.identity.has_begun;
  }
  bool is_foreign(uint64_t first_seq, const FoundSegment& found) const;
  SpoolLoss loss() const;
  Status remove(uint64_t first_seq);

  SpoolDirectory& directory_;
  const SpoolLocation& location_;
  const RandomSource& random_;
  std::map<uint64_t, FoundSegment> found_;
  RecoveredSpool spool_;
};

// The identity of a copy is kept until its lost batches have been counted.
Status Recovery::find_identity() {
  const auto text = directory_.read(std::string(kIdentityFile), 0, kIdentityBytesMax);
  if (!text && text.error().code != ErrorCode::kNotFound) return text.error();
  if (!text) {
    spool_.report.identity = Identity::kNew;
    return Status::ok();
  }
  const auto identity = decode_identity(*text);
  if (!identity && identity.error().code == ErrorCode::kVersion) return identity.error();
  if (!identity) {
    spool_.report.identity = Identity::kDamaged;
    return Status::ok();
  }
  spool_.identity = *identity;
  if (!is_same_location(identity->location, location_)) spool_.report.identity = Identity::kCopied;
  return Status::ok();
}

Status Recovery::find_segments() {
  const auto names = directory_.list();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const auto first_seq = parse_segment_name(name);
    if (!first_seq) continue;
    const auto bytes = directory_.size(name);
    if (!bytes) return bytes.error();
    const auto head = directory_.read(name, 0, kSegmentHeaderBytes);
    if (!head) return head.error();
    const auto header = decode_segment_header(*head);
    if (!header && header.error().code == ErrorCode::kVersion) return header.error();
    found_[*first_seq] = {header ? std::optional(*header) : std::nullopt, *bytes};
  }
  return Status::ok();
}

// Without a known identity, segments of any identity are accepted.
bool Recovery::is_foreign(uint64_t first_seq, const FoundSegment& found) const {
  if (!found.header) return false;  // its name and its records must suffice
  if (found.header->before.seq + 1 != first_seq) return true;
  if (spool_.report.identity == Identity::kNew || spool_.report.identity == Identity::kDamaged) return false;
  return found.header->id != spool_.identity.id || found.header->epoch != spool_.identity.epoch;
}

Status Recovery::remove(uint64_t first_seq) {
  ++spool_.report.segments_removed;
  return directory_.remove(segment_name(first_seq));
}

// If the identity will be replaced, no file is removed before the new identity is written.
Status Recovery::remove_foreign() {
  if (!keeps_identity()) {
    std::erase_if(found_, [&](const auto& found) { return is_foreign(found.first, found.second); });
    return Status::ok();
  }
  for (auto it = found_.begin(); it != found_.end();) {
    if (!is_foreign(it->first, it->second)) {
      ++it;
      continue;
    }
    if (Status status = remove(it->first); !status) return status;
    it = found_.erase(it);
  }
  return spool_.report.segments_removed > 0 ? directory_.sync() : Status::ok();
}

// Sets where each segment begins, and where it ends according to the headers of later segments.
Status Recovery::find_segment_ends() {
  SpoolPosition before;
  for (const auto& [first_seq, found] : found_) {
    Segment segment;
    if (!found.header) ++spool_.report.headers_damaged;
    // Without its header, the lines before its first record are at least those before the previous segment.
    segment.before = found.header ? found.header->before : SpoolPosition{first_seq - 1, before.lines};
    segment.previous_end = found.header ? found.header->previous_end : segment.before;
    segment.end = segment.bytes = found.bytes;
    before = segment.before;
    spool_.segments.emplace(first_seq, segment);
  }
  SpoolPosition valid_end{std::numeric_limits<uint64_t>::max(), 0};
  for (auto it = spool_.segments.rbegin(); it != spool_.segments.rend(); ++it) {
    Segment& segment = it->second;
    const bool has_records = valid_end.seq > segment.before.seq;
    segment.last = has_records ? SpoolPosition{valid_end.seq, std::max(valid_end.lines, segment.before.lines)}
                               : segment.before;
    if (segment.previous_end.seq < valid_end.seq) valid_end = segment.previous_end;
  }
  return Status::ok();
}

Status Recovery::scan_newest() {
  while (!spool_.segments.empty()) {
    const auto newest = std::prev(spool_.segments.end());
    Segment& segment = newest->second;
    segment.last.seq = std::numeric_limits<uint64_t>::max() - 1;
    SegmentCursor cursor(directory_, segment);
    for (;;) {
      const auto record = cursor.next();
      if (!record) return record.error();
      if (!record->has_value()) break;
    }
    segment.last = cursor.position();
    segment.end = cursor.end();
    spool_.report.torn_bytes += segment.bytes - std::min(segment.bytes, segment.end);
    if (found_[newest->first].header || segment.last != segment.before) return Status::ok();
    // Its header was never written, or everything is lost. It does not record a position, so the segment
    // before it must.
    if (keeps_identity()) {
      if (Status status = remove(newest->first); !status) return status;
    }
    spool_.segments.erase(newest);
  }
  return Status::ok();
}

// It is unknown whether the last writes of an earlier process are durable: one of its syncs may have failed,
// and then a sync by this process would succeed without saving them. So the intact part is written again: to
// a new file, or over itself if there is no room for one.
Status Recovery::make_durable() {
  if (!keeps_identity() || spool_.segments.empty()) return Status::ok();
  Segment& newest = std::prev(spool_.segments.end())->second;
  const auto whole = directory_.read(newest.name(), 0, static_cast<size_t>(newest.end));
  if (!whole) return whole.error();
  if (!directory_.replace(newest.name(), *whole)) {
    if (Status status = directory_.rewrite(newest.name(), *whole); !status) return status;
  }
  newest.bytes = newest.end;
  newest.is_durable = true;
  return directory_.sync();
}

// The lines that are given up with the old identity: those not known to be acknowledged by all servers.
SpoolLoss Recovery::loss() const {
  const bool is_copy = spool_.report.identity == Identity::kCopied;
  if (is_copy && !spool_.identity.has_begun) return spool_.identity.lost;
  SpoolLoss lost{.lines = 0, .reason = is_copy ? GapReason::kCopied : GapReason::kDamaged};
  if (spool_.segments.empty()) return lost;
  const uint64_t last = spool_.segments.rbegin()->second.last.lines;
  const uint64_t first =
      is_copy ? spool_.identity.acknowledged.lines : spool_.segments.begin()->second.before.lines;
  lost.lines = std::min(last - std::min(first, last), kSeqMax);
  return lost;
}

// Begins a numbering if necessary: for a new identity, for the next epoch, or if an earlier start did not
// finish it. Location facts that were unknown before become durable at the next write of the identity.
Status Recovery::begin_if_due() {
  SpoolIdentity& identity = spool_.identity;
  if (spool_.report.identity != Identity::kKept) {
    identity = new_identity(random_, location_, loss());
  } else if (identity.has_begun && spool_.segments.empty()) {
    ++identity.epoch;
    identity.has_begun = false;
    identity.lost = {};
    identity.acknowledged = {};
    spool_.report.identity = Identity::kNumberingLost;
  }
  identity.location = merge_locations(identity.location, location_);
  if (identity.has_begun) return Status::ok();
  spool_.report.lines_lost = identity.lost.lines;
  spool_.report.segments_removed += found_.size();
  auto segment = begin_numbering(directory_, identity);
  if (!segment) return segment.error();
  spool_.segments.clear();
  spool_.segments.emplace(segment->first_seq(), *segment);
  return Status::ok();
}

}  // namespace

std::string_view identity_text(Identity identity) {
  switch (identity) {
    case Identity::kKept:
      return "kept";
    case Identity::kNew:
      return "new";
    case Identity::kDamaged:
      return "damaged";
    case Identity::kCopied:
      return "copied";
    case Identity::kNumberingLost:
      return "numbering_lost";
  }
  return "unknown";
}

Result<RecoveredSpool> recover_spool(SpoolDirectory& directory, const SpoolLocation& location,
                                     const RandomSource& random) {
  auto spool = Recovery(directory, location, random).run();
  if (!spool) return std::move(spool).error().with("open the spool");
  return spool;
}

}  // namespace statmill
