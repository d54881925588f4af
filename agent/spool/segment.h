// Segments: the files of a spool. A header, and behind it batches as frames of the wire (FORMAT.md).
//
// Within a file the frames' numbers follow each other. Between files there may be gaps, and the end of a file
// may hold what does not count: the header of the next one says where it ends.
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
inline constexpr uint64_t kSeqMax = uint64_t{1} << 62;  // and of lines: no agent comes near, no sum wraps

// All batches up to `seq`, and the lines in them since the epoch began.
struct SpoolPosition {
  uint64_t seq = 0;
  uint64_t lines = 0;

  bool operator==(const SpoolPosition&) const = default;
};

struct SegmentHeader {
  AgentId id{};
  uint32_t epoch = 0;
  SpoolPosition before;  // what precedes its first record, whose number is before.seq + 1
  SpoolPosition held;    // where the segments before it end: of their records only those up to here count

  bool operator==(const SegmentHeader&) const = default;
};

std::string encode_segment_header(const SegmentHeader& header);
// Errors: kCorrupt; kVersion (whole, but of another version).
Result<SegmentHeader> decode_segment_header(std::string_view bytes);

// 20 digits of the first record's number, ".spool".
std::string segment_name(uint64_t first_seq);
// None: the name of another file.
std::optional<uint64_t> parse_segment_name(std::string_view name);

// What is known of one.
struct Segment {
  SpoolPosition before;
  SpoolPosition held;                  // of its header
  SpoolPosition last;                  // its last record that counts; `before` when there is none
  uint64_t end = kSegmentHeaderBytes;  // of the bytes that may be read
  uint64_t bytes = 0;                  // of the file, at most; a failed write may have left some behind `end`
  bool is_durable = false;  // as far as `end`, its name included; false: nothing is known of what was written
  uint64_t damaged_to = 0;  // batches up to here that are damaged have been counted
  std::optional<Timestamp> acknowledged_at = {};  // when all servers were first seen to have all of it

  uint64_t first_seq() const { return before.seq + 1; }
  bool has_records() const { return last.seq != before.seq; }
  std::string name() const { return segment_name(first_seq()); }
};

using Segments = std::map<uint64_t, Segment>;  // by first_seq()

}  // namespace statmill
