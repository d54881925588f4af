// Health: what keeps the server from doing its job right now; the answer of /readyz.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace statmill {

// Thread-safe. Ready when no part has a problem.
class Health {
 public:
  // The part's current problem, in words for a person; empty: none.
  void set(std::string_view part, std::string problem) {
    MutexLock lock(mutex_);
    if (problem.empty()) {
      problems_.erase(std::string(part));
    } else {
      problems_[std::string(part)] = std::move(problem);
    }
  }
  // part -> problem.
  std::map<std::string, std::string> problems() const {
    MutexLock lock(mutex_);
    return problems_;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> problems_ GUARDED_BY(mutex_);
};

}  // namespace statmill
