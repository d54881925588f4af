// LibbpfLog: what libbpf says while it loads something, to our log, and which program it says was refused.
#pragma once

#include <string>

#include "base/log.h"

namespace statmill {

// While it lives, libbpf's messages of this thread go to the log at debug. One at a time in each thread.
class LibbpfLog {
 public:
  explicit LibbpfLog(Log& log);
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  // The program that the kernel refused last, taken off; empty: none.
  std::string take_refused();
  void message(std::string_view text);

 private:
  Log& log_;
  std::string refused_;
};

}  // namespace statmill
