// FrameCache: the chunks that were read last, so that they are not made again.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "storage/ids.h"

namespace statmill {

// Thread-safe. When it is full it forgets the chunk that was not read for longest.
class FrameCache {
 public:
  explicit FrameCache(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns null if it does not have the chunk.
  std::shared_ptr<const std::string> find(const ChunkKey& key);
  std::shared_ptr<const std::string> add(const ChunkKey& key, std::string frames);
  size_t bytes() const;

 private:
  struct Entry {
    ChunkKey key;
    std::shared_ptr<const std::string> frames;
  };
  static size_t cost(const Entry& entry) { return entry.frames->capacity() + kOverheadBytes; }

  static constexpr size_t kOverheadBytes = 200;  // of the nodes of list and map

  const size_t bytes_max_;
  mutable Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the newest first
  std::map<ChunkKey, std::list<Entry>::iterator> places_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace statmill
