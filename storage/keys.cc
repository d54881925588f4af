#include "storage/keys.h"

#include <algorithm>

#include "base/bytes.h"

namespace statmill {

std::string flushed_key(ShardNo shard) {
  std::string key(kFlushedPrefix);
  Writer(key).u8(shard);
  return key;
}

std::string expired_key(TierNo tier) {
  std::string key(kExpiredPrefix);
  Writer(key).u8(tier);
  return key;
}

std::string agent_key(const AgentId& id) {
  std::string key(kAgentPrefix);
  key.append(id.bytes.begin(), id.bytes.end());
  return key;
}

std::optional<AgentId> parse_agent_key(std::string_view key) {
  if (key.size() != kAgentPrefix.size() + AgentId::kBytes || !key.starts_with(kAgentPrefix))
    return std::nullopt;
  AgentId id;
  const std::string_view bytes = key.substr(kAgentPrefix.size());
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return id;
}

std::string series_key(SeriesId id) {
  std::string key;
  Writer(key).u32be(id);
  return key;
}

std::optional<SeriesId> parse_series_key(std::string_view key) {
  if (key.size() != 4) return std::nullopt;
  return Reader(key).u32be();
}

std::string journal_key(TickNo tick) {
  std::string key;
  Writer(key).u64be(tick);
  return key;
}

std::optional<TickNo> parse_journal_key(std::string_view key) {
  if (key.size() != 8) return std::nullopt;
  return Reader(key).u64be();
}

std::string chunk_key(ChunkNo chunk, SeriesId id) {
  std::string key;
  Writer out(key);
  out.u32be(chunk);
  out.u32be(id);
  return key;
}

std::optional<ChunkKey> parse_chunk_key(TierNo tier, std::string_view key) {
  if (key.size() != 8) return std::nullopt;
  Reader in(key);
  const ChunkNo chunk = in.u32be();
  return ChunkKey{tier, chunk, in.u32be()};
}

}  // namespace statmill
