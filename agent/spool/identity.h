// SpoolIdentity: who an agent is, in the file `identity` of its spool (FORMAT.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agent/spool/place.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "base/result.h"
#include "proto/agent/frames.h"
#include "proto/agent_id.h"

namespace statmill {

inline constexpr std::string_view kIdentityFile = "identity";
inline constexpr size_t kIdentityBytesMax = 4096;

using RandomSource = std::function<uint64_t()>;  // 64 random bits

// What an agent lost when it took this identity: unsent batches of the one that it had before.
struct SpoolLoss {
  uint64_t lines = 0;
  GapReason reason = GapReason::kCopied;

  bool operator==(const SpoolLoss&) const = default;
};

struct SpoolIdentity {
  AgentId id{};
  AgentSecret secret{};          // proves to servers that the id is this agent's; never shown
  uint32_t epoch = 1;            // of the numbering of its batches; never 0
  SpoolPlace place{};            // where the spool was when this was written
  bool has_begun = false;        // the numbering; if not, no segment that is there belongs to it
  SpoolLoss lost{};              // if any, batch 1 of the numbering stands for it: a gap
  SpoolPosition acknowledged{};  // by all servers, as was known at some time; never too far

  // What precedes the first batch of the numbering.
  SpoolPosition start() const { return {lost.lines > 0 ? uint64_t{1} : 0, lost.lines}; }

  bool operator==(const SpoolIdentity&) const = default;
};

// Of an agent that nobody knows.
SpoolIdentity new_identity(const RandomSource& random, const SpoolPlace& place, const SpoolLoss& lost);

std::string encode_identity(const SpoolIdentity& identity);
// Errors: kCorrupt; kVersion (whole, but of another version).
Result<SpoolIdentity> decode_identity(std::string_view text);

// Puts it in the directory; after a power cut it or the one before is there, until the directory is synced.
Status write_identity(SpoolDirectory& directory, const SpoolIdentity& identity);

// Writes the identity, removes all segments, writes one that says where the numbering begins, and then that
// it has begun. All of it is durable. Requires: it has not begun. After an error this may be called again,
// also by the next process.
Result<Segment> begin_numbering(SpoolDirectory& directory, SpoolIdentity& identity);

}  // namespace statmill
