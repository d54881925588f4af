// Health: the problems and warnings of the running server. A problem makes /readyz answer 503; a warning does
// not. /readyz and /api/v1/status list both.
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
  using Parts = std::map<std::string, std::string>;  // part -> text for people

  // Sets the problem of `part`: the server cannot do its job. An empty text clears it.
  void set(std::string_view part, std::string problem) {
    MutexLock lock(mutex_);
    put(problems_, part, std::move(problem));
  }
  // Sets the warning of `part`: the server does its job, but an operator should look. An empty text clears
  // it.
  void warn(std::string_view part, std::string warning) {
    MutexLock lock(mutex_);
    put(warnings_, part, std::move(warning));
  }
  // Returns the current problems; the server is ready if there are none.
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
