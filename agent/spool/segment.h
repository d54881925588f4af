// Segments: the files of a spool. Each has a header, followed by batches as frames of the
// wire format (FORMAT.md).
//
// Batch numbers within a file are consecutive. Between files there may be gaps. The end of a file may contain
// records that are not valid: the header of the next file records where the valid ones end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "proto/agent_id.h"

namespace statmill {

inline constexpr uint8_t kSegmentVersion = 2;
inline constexpr size_t kSegmentHeaderBytes = 65;
// Also limits lines: no agent gets near it, and no sum overflows.
inline constexpr uint64_t kSeqMax = uint64_t{1} << 62;

// All batches up to `seq`, and the number of lines in them since the epoch began.
struct SpoolPosition {
  uint64_t seq = 0;
  uint64_t lines = 0;

  bool operator==(const SpoolPosition&) const = default;
};

struct SegmentHeader {
  AgentId id{};
  uint32_t epoch = 0;
  SpoolPosition before;        // the position before its first record, whose number is before.seq + 1
  SpoolPosition previous_end;  // where the older segments end: their records after this are not valid

  bool operator==(const SegmentHeader&) const = default;
};

std::string encode_segment_header(const SegmentHeader& header);
// Errors: kCorrupt; kVersion (intact, but another version).
Result<SegmentHeader> decode_segment_header(std::string_view bytes);

// Returns 20 digits with the number of the first record, and ".spool".
std::string segment_name(uint64_t first_seq);
// Returns nullopt if this is not the name of a segment.
std::optional<uint64_t> parse_segment_name(std::string_view name);

// What the spool knows about one segment.
struct Segment {
  SpoolPosition before;
  SpoolPosition previous_end;          // from its header
  SpoolPosition last;                  // its last valid record; `before` if there is none
  uint64_t end = kSegmentHeaderBytes;  // offset after the last readable byte
  uint64_t bytes = 0;       // upper bound for the file's size; a failed write may have left bytes after `end`
  bool is_durable = false;  // up to `end`, and so is its directory entry; false: unknown
  uint64_t damaged_to = 0;  // damaged batches up to here have been counted
  std::optional<Timestamp> acknowledged_at = {};  // when all servers were first seen to have all of it

  uint64_t first_seq() const { return before.seq + 1; }
  bool has_records() const { return last.seq != before.seq; }
  std::string name() const { return segment_name(first_seq()); }
};

using Segments = std::map<uint64_t, Segment>;  // by first_seq()

}  // namespace statmill
