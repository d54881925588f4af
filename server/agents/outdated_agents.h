// OutdatedAgents: agents that were refused because they speak another version of the protocol, for the
// operator who has to upgrade them.
//
// Bounded: when there are more than kKept, the one that has been quiet longest is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "proto/agent/frames.h"
#include "proto/line_sender.h"

namespace statmill {

struct OutdatedAgent {
  std::string host;     // as it called itself; empty: not known
  std::string address;  // that it connected from, without the port
  uint8_t protocol = 0;
  std::string agent_version;  // of its program; empty: not known
  uint64_t refused = 0;       // connections
  Timestamp seen{};           // the last time
};

// Thread-compatible.
class OutdatedAgents {
 public:
  static constexpr size_t kKept = 64;
  static constexpr Duration kWindow =
      std::chrono::minutes(10);  // an agent that is quiet for so long is dropped

  void note(const HelloFrame& hello, const LineSender& sender, Timestamp now);
  // Returns those seen within kWindow, by host, then address.
  std::vector<OutdatedAgent> current(Timestamp now) const;

 private:
  std::map<std::pair<std::string, std::string>, OutdatedAgent> agents_;  // by host and address
};

}  // namespace statmill
