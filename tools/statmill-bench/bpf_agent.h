// BpfAgent: a statmill-agent under measurement, and a server for it that accepts everything and stores
// nothing.
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
  // Starts the agent with these collectors and waits until each has reported its state. Errors: kUnavailable
  // with the agent's output.
  static Result<std::unique_ptr<BpfAgent>> start(const std::filesystem::path& program,
                                                 const std::string& collectors);
  // Stops the agent with SIGTERM and waits for its exit.
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
  void swallow();  // reads what the agent sends until it exits

  int listener_ = -1;
  uint16_t port_ = 0;
  int error_pipe_ = -1;
  pid_t pid_ = 0;
  std::atomic<bool> is_done_{
      false};  // relaxed: written by the owner, read by the server's thread; guards no other data
  std::thread server_;
};

}  // namespace statmill
