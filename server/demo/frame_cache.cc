#include "server/demo/frame_cache.h"

#include <utility>

namespace statmill {

std::shared_ptr<const std::string> FrameCache::find(const ChunkKey& key) {
  const MutexLock lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->frames;
}

std::shared_ptr<const std::string> FrameCache::add(const ChunkKey& key, std::string frames) {
  frames.shrink_to_fit();
  auto kept = std::make_shared<const std::string>(std::move(frames));
  const MutexLock lock(mutex_);
  if (const auto place = places_.find(key); place != places_.end()) return place->second->frames;
  entries_.push_front({key, kept});
  places_[key] = entries_.begin();
  bytes_ += cost(entries_.front());
  while (bytes_ > bytes_max_ && entries_.size() > 1) {
    bytes_ -= cost(entries_.back());
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return kept;
}

size_t FrameCache::bytes() const {
  const MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace statmill
