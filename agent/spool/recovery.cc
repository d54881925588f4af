// See recovery.h.
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

using Identity = SpoolFindings::Identity;

// A segment as its file stands.
struct FoundSegment {
  std::optional<SegmentHeader> header;  // none: damaged
  uint64_t bytes = 0;
};

AgentId random_id(const RandomSource& random) {
  AgentId id;
  for (size_t i = 0; i < AgentId::kBytes; i += 8) {
    const uint64_t bits = random();
    for (size_t j = 0; j < 8; ++j) id.bytes[i + j] = static_cast<uint8_t>(bits >> (8 * j));
  }
  return id;
}

class Recovery {
 public:
  Recovery(SpoolDirectory& directory, std::string_view place, const RandomSource& random)
      : directory_(directory), place_(place_hash(place)), random_(random) {}

  Result<RecoveredSpool> run() {
    // What may refuse comes before what changes anything.
    for (const auto step : {&Recovery::find_identity, &Recovery::find_segments, &Recovery::remove_foreign,
                            &Recovery::place_segments, &Recovery::scan_newest, &Recovery::make_durable}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    return std::move(spool_);
  }

 private:
  Status find_identity();
  Status find_segments();
  Status remove_foreign();
  Status place_segments();
  Status scan_newest();
  Status make_durable();
  Status begin_numbering();

  void take_new_identity(Identity why) {
    spool_.identity = {random_id(random_), 1, place_};
    spool_.findings.identity = why;
  }
  bool is_foreign(uint64_t first_seq, const FoundSegment& found) const;
  Status remove(uint64_t first_seq);

  SpoolDirectory& directory_;
  const std::string place_;
  const RandomSource& random_;
  std::map<uint64_t, FoundSegment> found_;
  RecoveredSpool spool_;
};

Status Recovery::find_identity() {
  const auto text = directory_.read(std::string(kIdentityFile), 0, kIdentityBytesMax);
  if (!text && text.error().code != ErrorCode::kNotFound) return text.error();
  if (!text) {
    take_new_identity(Identity::kNew);
    return Status::ok();
  }
  const auto identity = decode_identity(*text);
  if (!identity && identity.error().code == ErrorCode::kVersion) return identity.error();
  if (!identity) {
    take_new_identity(Identity::kDamaged);
  } else if (identity->place != place_) {
    take_new_identity(Identity::kCopied);
  } else {
    spool_.identity = *identity;
  }
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

bool Recovery::is_foreign(uint64_t first_seq, const FoundSegment& found) const {
  if (spool_.findings.identity != Identity::kKept) return true;
  if (!found.header) return false;  // its name and its records must do
  return found.header->id != spool_.identity.id || found.header->epoch != spool_.identity.epoch ||
         found.header->before.seq + 1 != first_seq;
}

Status Recovery::remove(uint64_t first_seq) {
  ++spool_.findings.segments_removed;
  return directory_.remove(segment_name(first_seq));
}

// They are gone for good before an identity is written that they do not belong to.
Status Recovery::remove_foreign() {
  for (auto it = found_.begin(); it != found_.end();) {
    if (!is_foreign(it->first, it->second)) {
      ++it;
      continue;
    }
    if (const Status status = remove(it->first); !status) return status;
    it = found_.erase(it);
  }
  return spool_.findings.segments_removed > 0 ? directory_.sync() : Status::ok();
}

// Where each begins; and where it ends, which those behind it say.
Status Recovery::place_segments() {
  SpoolPosition before;
  for (const auto& [first_seq, found] : found_) {
    Segment segment;
    if (!found.header) ++spool_.findings.headers_damaged;
    // The lines before its first record are then at least those before the last segment's.
    segment.before = found.header ? found.header->before : SpoolPosition{first_seq - 1, before.lines};
    segment.held = found.header ? found.header->held : segment.before;
    segment.end = segment.bytes = found.bytes;
    before = segment.before;
    spool_.segments.emplace(first_seq, segment);
  }
  SpoolPosition held{std::numeric_limits<uint64_t>::max(), 0};
  for (auto it = spool_.segments.rbegin(); it != spool_.segments.rend(); ++it) {
    Segment& segment = it->second;
    const bool has_records = held.seq > segment.before.seq;
    segment.last =
        has_records ? SpoolPosition{held.seq, std::max(held.lines, segment.before.lines)} : segment.before;
    if (segment.held.seq < held.seq) held = segment.held;
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
    spool_.findings.torn_bytes += segment.bytes - std::min(segment.bytes, segment.end);
    if (found_[newest->first].header || segment.last != segment.before) return Status::ok();
    // A file that never got as far as its header, or lost all: it says nothing, so the one before must.
    if (const Status status = remove(newest->first); !status) return status;
    spool_.segments.erase(newest);
  }
  return Status::ok();
}

// Whether what an earlier process wrote last is durable, nobody knows: a sync of its own may have failed, and
// one of ours would then succeed and save nothing. So the whole part of it is written again: to another place
// of the disk, or to where it is if there is no room for that.
Status Recovery::make_durable() {
  if (spool_.segments.empty()) return begin_numbering();
  Segment& newest = std::prev(spool_.segments.end())->second;
  const auto whole = directory_.read(newest.name(), 0, static_cast<size_t>(newest.end));
  if (!whole) return whole.error();
  if (!directory_.replace(newest.name(), *whole)) {
    if (const Status status = directory_.rewrite(newest.name(), *whole); !status) return status;
  }
  newest.bytes = newest.end;
  newest.is_durable = true;
  return directory_.sync();
}

// An identity and one segment, which says that the numbering begins.
Status Recovery::begin_numbering() {
  if (spool_.findings.identity == Identity::kKept) {
    ++spool_.identity.epoch;
    spool_.findings.identity = Identity::kNumberingLost;
  }
  const Status written = directory_.replace(std::string(kIdentityFile), encode_identity(spool_.identity));
  if (!written) return written;
  if (const Status status = directory_.sync(); !status) return status;
  Segment segment;
  segment.bytes = kSegmentHeaderBytes;
  segment.is_durable = true;
  const Status made = directory_.replace(
      segment.name(),
      encode_segment_header(
          {.id = spool_.identity.id, .epoch = spool_.identity.epoch, .before = {}, .held = {}}));
  if (!made) return made;
  spool_.segments.emplace(segment.first_seq(), segment);
  return directory_.sync();
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

Result<RecoveredSpool> recover_spool(SpoolDirectory& directory, std::string_view place,
                                     const RandomSource& random) {
  auto spool = Recovery(directory, place, random).run();
  if (!spool) return std::move(spool).error().with("open the spool");
  return spool;
}

}  // namespace statmill
