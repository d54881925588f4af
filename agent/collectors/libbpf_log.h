// LibbpfLog: sends libbpf's messages to our log, and finds in them which program the kernel refused.
#pragma once

#include <string>

#include "base/log.h"

namespace statmill {

// While this object exists, libbpf's messages on this thread are logged at debug level. At most one object
// per thread.
class LibbpfLog {
 public:
  explicit LibbpfLog(Log& log);
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  // Returns and forgets the program that the kernel refused last; empty if there is none.
  std::string pop_refused();
  void message(std::string_view text);

 private:
  Log& log_;
  std::string refused_;
};

}  // namespace statmill
