// ConnectionRegistry: who is connected to the ports of lines and what each says of itself (`#key value`
// metadata).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace statmill {

struct Connection {
  std::string peer;
  Timestamp since;
  std::map<std::string, std::string, std::less<>> metadata;
};

// Thread-safe.
class ConnectionRegistry {
 public:
  static constexpr size_t kMetadataKeysMax = 32;     // per connection
  static constexpr size_t kMetadataBytesMax = 1024;  // key and text of one line

  uint64_t add(std::string peer, Timestamp since);
  void remove(uint64_t id);
  // The same key again overwrites. False when a limit is met; nothing is kept then.
  bool set(uint64_t id, std::string_view key, std::string_view text);
  // Oldest first, at most `limit`.
  std::vector<Connection> list(size_t limit) const;
  size_t count() const;

 private:
  mutable Mutex mutex_;
  uint64_t next_id_ GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Connection> connections_ GUARDED_BY(mutex_);
};

}  // namespace statmill
