// Health: what is wrong with the server right now. A problem makes /readyz answer 503; a warning is listed
// there and in /api/v1/status, and the server stays ready.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"

namespace statmill {

// Thread-safe.
class Health {
 public:
  using Parts = std::map<std::string, std::string>;  // part -> text for a person

  // The server cannot do its job because of `part`. An empty text ends the problem.
  void set(std::string_view part, std::string problem) {
    MutexLock lock(mutex_);
    put(problems_, part, std::move(problem));
  }
  // An operator should look at `part`, but the server does its job. An empty text ends the warning.
  void warn(std::string_view part, std::string warning) {
    MutexLock lock(mutex_);
    put(warnings_, part, std::move(warning));
  }
  // The server is ready if this is empty.
  Parts problems() const {
    MutexLock lock(mutex_);
    return problems_;
  }
  Parts warnings() const {
    MutexLock lock(mutex_);
    return warnings_;
  }

 private:
  static void put(Parts& parts, std::string_view part, std::string text) {
    if (text.empty()) {
      parts.erase(std::string(part));
    } else {
      parts[std::string(part)] = std::move(text);
    }
  }

  mutable Mutex mutex_;
  Parts problems_ GUARDED_BY(mutex_);
  Parts warnings_ GUARDED_BY(mutex_);
};

}  // namespace statmill
