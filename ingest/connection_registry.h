// ConnectionRegistry: the open TCP connections of all line listeners, each with the metadata
// that it has sent (`#key value` lines).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/net/session_limit.h"
#include "ingest/unfinished_line.h"

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
  static constexpr size_t kMetadataBytesMax = 1024;  // key and text of one line together

  // Both limits are for all listeners together.
  explicit ConnectionRegistry(SessionLimit limit, size_t unfinished_bytes_max = size_t{64} << 20)
      : limit_(std::move(limit)), unfinished_bytes_(unfinished_bytes_max) {}

  // The limit on the connections, which the listeners enforce, and their number.
  const SessionLimit& limit() const { return limit_; }

  // The budget of their unfinished lines.
  UnfinishedBytes& unfinished_bytes() { return unfinished_bytes_; }

  // Returns the connection's id, which is never used again.
  uint64_t add(std::string peer, Timestamp since);
  void remove(uint64_t id);
  // Sets the text of a key, replacing an earlier one. Returns false and
  // changes nothing if a limit is exceeded.
  bool set(uint64_t id, std::string_view key, std::string_view text);
  // Returns at most `limit` connections, oldest first.
  std::vector<Connection> list(size_t limit) const;

 private:
  const SessionLimit limit_;
  UnfinishedBytes unfinished_bytes_;
  mutable Mutex mutex_;
  uint64_t next_id_ GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Connection> connections_ GUARDED_BY(mutex_);
};

}  // namespace statmill
