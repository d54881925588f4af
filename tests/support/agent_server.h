// AgentServer: a minimal server of the agent stream for tests. It reads what an agent sends, frame by frame,
// and acknowledges it.
#pragma once

#include <cstdint>
#include <string>

#include "proto/agent/frames.h"
#include "tests/support/sockets.h"

namespace statmill {

class AgentServer {
 public:
  Endpoint endpoint() const { return listener_.endpoint(); }

  // Waits for an agent and welcomes it with the position acknowledged so far. Returns false if none connects.
  bool accept();
  // Reads and acknowledges batches until one has a line that contains `part`; returns all lines since
  // accept(). If `part` is empty, reads to the end of the connection.
  std::string lines_until(std::string_view part);
  // Reads to the end of the connection.
  std::string all_lines() { return lines_until({}); }
  // The tags of the last batch.
  const std::string& tags() const { return tags_; }
  // How many lines the agent has reported as lost, since construction.
  uint64_t lines_lost() const { return lines_lost_; }

 private:
  void handle(const FrameRead& frame);

  TcpListener listener_;
  TcpConnection connection_{Descriptor()};
  std::string unread_;
  std::string lines_;
  std::string tags_;
  AgentPosition position_;
  uint64_t lines_lost_ = 0;
};

}  // namespace statmill
