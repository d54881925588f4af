// AgentRow: what the store keeps about one agent, written in the same batch as the samples it accounts for:
// how far its batches are durable, and which of them are lost for good.
//
//   version u8 = 1 | flags u8 (1: ephemeral, 2: uncertain, 4: ahead) | epoch varint | seq varint |
//   lines varint | time svarint ms | seen svarint ms | host: length varint, bytes | gaps varint |
//   lines lost varint | gaps kept varint, each: first seq varint, count - 1 varint, lines varint, reason u8,
//   from svarint ms, to svarint ms | newest svarint ms | if uncertain: until svarint ms |
//   lines refused varint | hash of the secret 32 bytes | peer: length varint, bytes |
//   agent's version: length varint, bytes | kernel: length varint, bytes | boot id: length varint, bytes |
//   booted svarint ms | if ahead: after - seq varint, lines before - lines varint, last seq - after varint,
//   last lines - lines before varint, time svarint ms | crc32c u32be over the id and all of that
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "proto/agent_id.h"
#include "proto/agent_position.h"
#include "proto/host_boot.h"

namespace statmill {

// Batches that never arrived and never will.
struct AgentGap {
  uint64_t first = 0;  // first lost sequence number
  uint64_t last = 0;   // last lost sequence number, inclusive
  uint64_t lines = 0;  // lines in those batches
  GapReason reason = GapReason::kSpoolFull;
  Timestamp from{};  // time of the batch before the gap
  Timestamp to{};    // time of the batch after it

  bool operator==(const AgentGap&) const = default;
};

// SHA-256 of an agent's secret. All zeros: none is known, and the first that arrives becomes the agent's.
using SecretHash = std::array<uint8_t, 32>;

struct AgentRow : AgentProgress {
  static constexpr size_t kGapsKept = 16;  // the newest ones; `gaps` counts all

  AgentId id{};
  bool is_ephemeral = false;
  Timestamp seen{};    // when the server last accepted anything from it
  Timestamp newest{};  // the latest time of an accepted batch: no batch made later was accepted
  // Set if the server had forgotten agents, perhaps this one: batches made up to then may be stored already.
  std::optional<Timestamp> uncertain_until;
  SecretHash secret{};
  std::string host;
  std::string peer;            // the address that it last connected from
  std::string agent_version;   // of its program
  HostBoot boot;               // of its host, when it connected last
  uint64_t lines_refused = 0;  // in accepted batches: too old, too new, bad syntax, a limit
  uint64_t gaps = 0;
  uint64_t lines_lost = 0;
  std::vector<AgentGap> last_gaps;  // at most kGapsKept, oldest first

  AgentProgress& progress() { return *this; }
  const AgentProgress& progress() const { return *this; }
  bool operator==(const AgentRow&) const = default;
};

std::string encode_agent_row(const AgentRow& row);
// Errors: kCorrupt, kVersion.
Result<AgentRow> decode_agent_row(const AgentId& id, std::string_view bytes);

}  // namespace statmill
