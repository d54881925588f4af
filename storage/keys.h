// Keys: the names of rows in the column families (storage/FORMAT.md). Big endian, so that byte order is row
// order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proto/agent_id.h"
#include "storage/ids.h"

namespace statmill {

// Meta rows.
inline constexpr std::string_view kFlushedPrefix = "flushed";    // + shard: tick, activity
inline constexpr std::string_view kRollupKey = "rollup";         // chunk, id
inline constexpr std::string_view kTrimKey = "trim";             // tick: the journal has no rows below it
inline constexpr std::string_view kExpiredPrefix = "expired";    // + tier: first kept chunk, highest one ever
inline constexpr std::string_view kAgentPrefix = "agent";        // + id: AgentRow
inline constexpr std::string_view kFamilyPrefix = "family";      // + kind, path: FamilyRow
inline constexpr std::string_view kDocumentPrefix = "document";  // + kind, id: DocumentRow
inline constexpr std::string_view kValuesPrefix = "values";      // + tick: ValueRow
inline constexpr std::string_view kTickKey = "tick";             // tick: of the newest batch
inline constexpr std::string_view kClockKey = "clock";           // ClockRow
inline constexpr std::string_view kHashSecretKey = "hash";       // HashSecret
inline constexpr std::string_view kWholeKey = "whole";           // WholeRow
inline constexpr std::string_view kForgottenKey = "forgotten";   // time: StoreBatch::forgotten_until

std::string flushed_key(ShardNo shard);
std::string expired_key(TierNo tier);
std::string agent_key(const AgentId& id);
std::optional<AgentId> parse_agent_key(std::string_view key);

std::string series_key(SeriesId id);
std::optional<SeriesId> parse_series_key(std::string_view key);

std::string journal_key(TickNo tick);
std::optional<TickNo> parse_journal_key(std::string_view key);

// Chunk keys do not contain the tier: each tier has a column family.
std::string chunk_key(ChunkNo chunk, SeriesId id);
std::optional<ChunkKey> parse_chunk_key(TierNo tier, std::string_view key);

}  // namespace statmill
