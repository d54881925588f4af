// AgentSession: one agent's connection: a wire for an AgentStream.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/wire.h"
#include "server/agents/agent_stream.h"
#include "statmill/registry.h"

namespace statmill {

// What the sessions of a thread use by turns: each leaves it empty.
struct AgentDesk {
  static constexpr size_t kReadBytes = 256 * 1024;

  // Room for an unfinished frame, then for what a read brings.
  std::vector<char> bytes = std::vector<char>(kFrameBytesMax + 8 + kReadBytes);
};

// Confined to the thread of its socket, but for what AgentWatcher says. Lives as long as something is under
// way.
class AgentSession final : public AgentWatcher, public std::enable_shared_from_this<AgentSession> {
 public:
  static constexpr Duration kHelloLimit = std::chrono::seconds(10);  // until then it must have said who it is
  static constexpr Duration kRoomPoll = std::chrono::milliseconds(20);

  struct Services {  // all must outlive it
    AgentStream::Services stream;
    Duration idle_timeout;  // 0: none
    Counter& bytes;
    Counter& refused;  // connections that did not come as far as a welcome
    Counter& idle;     // closed because nothing came
    const Clock& clock;
  };
  static constexpr Duration kStopLimit = std::chrono::seconds(1);  // for the last words

  // `desk` is of the socket's thread.
  AgentSession(Wire wire, AgentDesk& desk, const Services& services);
  ~AgentSession() override;

  void start();
  // Says that the server stops, and ends.
  void stop();

  void durable(AckFrame ack) override;
  void ended(RefuseReason reason) override;

 private:
  void read();
  void take(std::string_view bytes);
  void take_unread();
  TickTime now() const { return TickTime::of(services_.clock); }
  void go_on();
  void wait_for_room();
  void write();
  void watch();
  void close_if_idle();
  std::optional<Duration> silence_limit() const;  // none: there is no limit
  void close();

  Wire wire_;
  AgentDesk& desk_;
  const Services& services_;
  AgentStream stream_;
  boost::asio::steady_timer idle_timer_;
  boost::asio::steady_timer room_timer_;
  SteadyTime last_read_;
  std::string unread_;   // a frame that is not whole; more while the table has no room
  std::string writing_;  // on its way; empty: none
  bool is_open_ = true;
};

}  // namespace statmill
