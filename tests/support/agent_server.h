// AgentServer: a server of the agent stream as tests want it: it takes what an agent sends, frame by frame,
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

  // Waits for an agent, and welcomes it with what was acknowledged before. False: none comes.
  bool accept();
  // Takes and acknowledges batches until `part` is among their lines; gives all lines since accept(). Without
  // the part: up to the end of the connection.
  std::string lines_until(std::string_view part);
  // Up to the end of the connection.
  std::string all_lines() { return lines_until({}); }
  // Of which the agent has told that it cannot send them, since construction.
  uint64_t lines_lost() const { return lines_lost_; }

 private:
  void take(const FrameRead& frame);

  TcpListener listener_;
  TcpConnection connection_{Descriptor()};
  std::string unread_;
  std::string lines_;
  AgentPosition position_;
  uint64_t lines_lost_ = 0;
};

}  // namespace statmill
