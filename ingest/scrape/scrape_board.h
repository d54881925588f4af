// ScrapeBoard: how the last scrape of each target went, for people.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ingest/scrape/scrape_target.h"

namespace statmill {

struct ScrapeState {
  std::shared_ptr<const ScrapeTarget> target;
  Timestamp at{};  // when the last scrape began; the epoch: there was none
  Duration took{};
  std::string fault;  // why the last scrape failed; empty if it did not
};

// Thread-safe. Its lock is a leaf.
class ScrapeBoard {
 public:
  void set(std::vector<ScrapeState> states) {
    MutexLock lock(mutex_);
    states_ = std::move(states);
  }
  // Requires: index is below the size of the last set().
  void update(size_t index, ScrapeState state) {
    MutexLock lock(mutex_);
    states_[index] = std::move(state);
  }
  size_t size() const {
    MutexLock lock(mutex_);
    return states_.size();
  }
  std::vector<ScrapeState> states() const {
    MutexLock lock(mutex_);
    return states_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<ScrapeState> states_ GUARDED_BY(mutex_);
};

}  // namespace statmill
