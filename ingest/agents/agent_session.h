// AgentSession: one agent's connection: moves bytes between a socket and an AgentStream.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/net/handshake_log.h"
#include "base/net/wire.h"
#include "ingest/agents/agent_log.h"
#include "ingest/agents/agent_stream.h"
#include "ingest/agents/unread_bytes.h"
#include "statmill/registry.h"

namespace statmill {

// A read buffer that all sessions of a thread share. No session leaves data in it between two reads.
struct AgentBuffers {
  static constexpr size_t kReadBytes = 256 * 1024;

  // Space for an incomplete frame, followed by space for one read.
  std::vector<char> bytes = std::vector<char>(kFrameBytesMax + 8 + kReadBytes);
};

// Confined to the thread of its socket, except for the calls of AgentObserver. Its pending operations keep it
// alive.
class AgentSession final : public AgentObserver, public std::enable_shared_from_this<AgentSession> {
 public:
  struct Services {  // all must outlive it
    AgentStream::Services stream;
    Duration hello_timeout;  // from the accept until a valid hello has come
    Duration idle_timeout;   // 0: none
    Duration room_poll;      // how often a connection that waits for room looks again
    Counter& bytes;
    Counter& handshake_failures;  // connections that ended before a welcome
    Counter& idle;                // connections closed because no hello, or later nothing, came in time
    AgentLog& log;
    HandshakeLog& handshake_log;
    const Clock& clock;
  };
  static constexpr Duration kStopTimeout = std::chrono::seconds(1);  // for sending the last frame

  // `buffers` belongs to the socket's thread.
  AgentSession(Wire wire, const LineSender& peer, AgentBuffers& buffers, const Services& services);
  ~AgentSession() override;

  void start();
  // Tells the agent that the server is stopping, and closes.
  void stop();

  void on_durable(AckFrame ack) override;
  void on_ended(RefuseReason reason) override;

 private:
  void read();
  void process(std::string_view bytes);
  void process_unread();
  TickTime now() const { return TickTime::of(services_.clock); }
  void proceed();
  void wait_for_room();
  void write();
  void watch_deadline();
  void close_if_late();
  std::optional<SteadyTime> deadline() const;  // nullopt: none
  // `why` ends the connection of an agent that was not refused.
  void close(std::string_view why);
  void write_log(std::string_view why);

  Wire wire_;
  const std::string peer_;
  AgentBuffers& buffers_;
  const Services& services_;
  AgentStream stream_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer room_timer_;
  const SteadyTime accepted_;
  SteadyTime last_read_;
  UnreadBytes unread_;   // an incomplete frame; more while the table has no room
  std::string writing_;  // being written; empty: no write is pending
  bool is_open_ = true;
  bool is_stopping_ = false;
};

}  // namespace statmill
