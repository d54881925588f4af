// HangingCalls: a function in place of statfs() whose calls for some paths hang until a test lets them
// return.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "agent/collectors/space_reader.h"
#include "base/mutex.h"

namespace statmill {

// Thread-safe.
class HangingCalls {
 public:
  // Calls for `path` hang from now on.
  void hang(const std::string& path) {
    const MutexLock lock(mutex_);
    hanging_.insert(path);
  }
  void let_return(const std::string& path) {
    const MutexLock lock(mutex_);
    hanging_.erase(path);
    changed_.notify_all();
  }

  // The function. The answer has as many blocks as the path has bytes.
  Result<FilesystemSpace> call(const MountPlace& place) {
    const MutexLock lock(mutex_);
    begun_.push_back(place.path);
    changed_.notify_all();
    while (hanging_.contains(place.path)) changed_.wait(mutex_);
    ++returned_;
    changed_.notify_all();
    return FilesystemSpace{.block_bytes = 1, .blocks = place.path.size()};
  }

  // The paths of all calls, in the order of their begins.
  std::vector<std::string> begun() {
    const MutexLock lock(mutex_);
    return begun_;
  }
  size_t count(const std::string& path) {
    const std::vector<std::string> all = begun();
    return static_cast<size_t>(std::count(all.begin(), all.end(), path));
  }
  void wait_for_returned(size_t count) {
    const MutexLock lock(mutex_);
    while (returned_ < count) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::set<std::string> hanging_ GUARDED_BY(mutex_);
  std::vector<std::string> begun_ GUARDED_BY(mutex_);
  size_t returned_ GUARDED_BY(mutex_) = 0;
};

}  // namespace statmill
