// AgentLog: a line in the log for each agent that comes, leaves or is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "proto/agent/frames.h"

namespace statmill {

// Thread-safe. Each kind has at most ten lines per second, since after an outage a whole fleet connects at
// once; `held_back` counts the others.
class AgentLog {
 public:
  static constexpr int64_t kLinesPerSecond = 10;

  // What an agent says of itself. Its texts have no control characters, and are empty before a valid hello.
  struct Visitor {
    std::string host;
    std::string id;  // its first digits
    std::string version;
  };

  // Both must outlive it.
  AgentLog(Log& log, const Clock& clock) : log_(log), clock_(clock) {}

  // `peer` is the address that the agent connects from.
  void connected(const Visitor& agent, std::string_view peer);
  void left(const Visitor& agent, std::string_view peer, std::string_view why, Duration stayed);
  void refused(const Visitor& agent, std::string_view peer, const RefuseFrame& refusal);

 private:
  Log& log_;
  const Clock& clock_;
  LogLimiter connected_{std::chrono::seconds(1), kLinesPerSecond};
  LogLimiter left_{std::chrono::seconds(1), kLinesPerSecond};
  LogLimiter refused_{std::chrono::seconds(1), kLinesPerSecond};
};

}  // namespace statmill
