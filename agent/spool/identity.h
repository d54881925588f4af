// SpoolIdentity: who an agent is, as stored in the file `identity` of its spool (FORMAT.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agent/spool/location.h"
#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "base/result.h"
#include "proto/agent/frames.h"
#include "proto/agent_id.h"

namespace statmill {

inline constexpr std::string_view kIdentityFile = "identity";
inline constexpr size_t kIdentityBytesMax = 4096;

using RandomSource = std::function<uint64_t()>;  // returns 64 random bits
uint64_t random_bits();                          // the RandomSource of real agents

// What an agent lost when it changed to this identity: unsent batches of the previous one.
struct SpoolLoss {
  uint64_t lines = 0;
  GapReason reason = GapReason::kCopied;

  bool operator==(const SpoolLoss&) const = default;
};

struct SpoolIdentity {
  AgentId id{};
  AgentSecret secret{};          // proves to servers that the id belongs to this agent; never shown
  uint32_t epoch = 1;            // of the batch numbering; never 0
  SpoolLocation location{};      // where the spool was when this was written
  bool has_begun = false;        // the batch numbering has begun; if false, no existing segment belongs to it
  SpoolLoss lost{};              // if not empty, batch 1 of the numbering is a gap with these lines
  SpoolPosition acknowledged{};  // by all servers; may be too low, never too high

  // The position before the first batch of the numbering.
  SpoolPosition start() const { return {lost.lines > 0 ? uint64_t{1} : 0, lost.lines}; }

  bool operator==(const SpoolIdentity&) const = default;
};

// Returns an identity with a new id and secret.
SpoolIdentity new_identity(const RandomSource& random, const SpoolLocation& location, const SpoolLoss& lost);

std::string encode_identity(const SpoolIdentity& identity);
// Errors: kCorrupt; kVersion (intact, but another version).
Result<SpoolIdentity> decode_identity(std::string_view text);

// Writes the identity to the directory. Until the directory is synced, either this identity or the previous
// one survives a power cut.
Status write_identity(SpoolDirectory& directory, const SpoolIdentity& identity);

// Writes the identity, removes all segments, writes a first segment that records where the numbering begins,
// and then records in the identity that it has begun. All of this is durable on return. Requires:
// !identity.has_begun. After an error, call it again, in this or the next process.
Result<Segment> begin_numbering(SpoolDirectory& directory, SpoolIdentity& identity);

}  // namespace statmill
