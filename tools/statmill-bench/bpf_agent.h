// BpfAgent: a statmill-agent under measurement, and a server for it that takes everything and keeps nothing.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "tools/statmill-bench/process_meter.h"

namespace statmill {

// Confined to one thread.
class BpfAgent {
 public:
  // Starts it with these collectors and waits until all of them have said what they can. Errors:
  // kUnavailable, with what it said.
  static Result<std::unique_ptr<BpfAgent>> start(const std::filesystem::path& program,
                                                 const std::string& collectors);
  // Stops it (SIGTERM, wait).
  ~BpfAgent();
  BpfAgent(const BpfAgent&) = delete;
  BpfAgent& operator=(const BpfAgent&) = delete;

  pid_t pid() const { return pid_; }
  ProcessMeter meter() const { return ProcessMeter(pid_); }

 private:
  BpfAgent() = default;
  Status listen();
  Status spawn(const std::filesystem::path& program, const std::string& collectors);
  Status wait_until_ready();
  void swallow();  // what the agent sends, until it ends

  int listener_ = -1;
  uint16_t port_ = 0;
  int error_pipe_ = -1;
  pid_t pid_ = 0;
  std::atomic<bool> is_done_{
      false};  // told by the owner, read by the server's thread: nothing else hangs on it
  std::thread server_;
};

}  // namespace statmill
