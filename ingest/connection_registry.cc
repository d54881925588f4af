#include "ingest/connection_registry.h"

namespace statmill {

uint64_t ConnectionRegistry::add(std::string peer, Timestamp since) {
  MutexLock lock(mutex_);
  connections_[next_id_] = {std::move(peer), since, {}};
  return next_id_++;
}

void ConnectionRegistry::remove(uint64_t id) {
  MutexLock lock(mutex_);
  connections_.erase(id);
}

bool ConnectionRegistry::set(uint64_t id, std::string_view key, std::string_view text) {
  if (key.size() + text.size() > kMetadataBytesMax) return false;
  MutexLock lock(mutex_);
  auto& metadata = connections_[id].metadata;
  const auto it = metadata.find(key);
  if (it == metadata.end() && metadata.size() >= kMetadataKeysMax) return false;
  metadata.insert_or_assign(std::string(key), std::string(text));
  return true;
}

std::vector<Connection> ConnectionRegistry::list(size_t limit) const {
  MutexLock lock(mutex_);
  std::vector<Connection> out;
  for (const auto& [id, connection] : connections_) {
    if (out.size() == limit) break;
    out.push_back(connection);
  }
  return out;
}

}  // namespace statmill
