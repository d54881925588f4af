// AgentRow: what the store keeps of one agent, in the same batch as the samples it speaks of: how far its
// batches are durable, and what of them is lost for good.
//
//   version u8 = 2 | flags u8 (1: ephemeral, 2: uncertain) | epoch varint | seq varint | lines varint |
//   time svarint ms | seen svarint ms | host: length varint, bytes | gaps varint | lines lost varint |
//   gaps kept varint, each: first seq varint, count - 1 varint, lines varint, reason u8, from svarint ms,
//   to svarint ms | newest svarint ms | if uncertain: until svarint ms | lines refused varint |
//   hash of the secret 32 bytes | peer: length varint, bytes | agent's version: length varint, bytes |
//   crc32c u32be over the id and all of that
//
// A row of version 1 ends behind its gaps: its agent has no secret yet, and its newest batch is its last.
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

namespace statmill {

// Batches that were never had, and never will be.
struct AgentGap {
  uint64_t first = 0;  // seq; both are lost, and all between
  uint64_t last = 0;
  uint64_t lines = 0;  // that they held
  GapReason reason = GapReason::kSpoolFull;
  Timestamp from{};  // the times of the batches before and behind them
  Timestamp to{};

  bool operator==(const AgentGap&) const = default;
};

// SHA-256 of an agent's secret; zeros: none is known, and the first that comes is the agent's.
using SecretHash = std::array<uint8_t, 32>;

struct AgentRow {
  static constexpr size_t kGapsKept = 16;  // the newest; all are counted

  AgentId id{};
  AgentPosition position;
  bool is_ephemeral = false;
  Timestamp seen{};    // when the server took something of it last
  Timestamp newest{};  // the latest time of its batches that were taken: a batch made later never was
  // The server has forgotten agents, and this may be one of them: batches made up to then may be in already.
  std::optional<Timestamp> uncertain_until;
  SecretHash secret{};
  std::string host;
  std::string peer;            // the address that it came from last
  std::string agent_version;   // of its program
  uint64_t lines_refused = 0;  // of the batches taken: too old, too new, bad syntax, a limit
  uint64_t gaps = 0;
  uint64_t lines_lost = 0;
  std::vector<AgentGap> last_gaps;  // at most kGapsKept, oldest first

  bool operator==(const AgentRow&) const = default;
};

std::string encode_agent_row(const AgentRow& row);
// Errors: kCorrupt, kVersion.
Result<AgentRow> decode_agent_row(const AgentId& id, std::string_view bytes);

}  // namespace statmill
