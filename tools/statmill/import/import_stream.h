// ImportStream: the connection over which an import sends its batches to a server, as an agent does
// (proto/PROTOCOL.md, "The agent stream"): numbered and acknowledged, so that each counts exactly once.
//
// It has no spool: a batch that was not acknowledged stays in memory, and after a crash of this program the
// import makes the same batches of the same files again.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/net/name_lookups.h"
#include "base/net/wire.h"
#include "base/result.h"
#include "base/text.h"
#include "proto/agent/frames.h"

namespace statmill {

struct ImportStreamOptions {
  Endpoint server;                       // its agent port
  std::shared_ptr<TlsContext> tls = {};  // null: plain
  std::string tls_name = {};             // that the certificate must have; empty: server.host
  std::string token = {};                // of agents; empty: none
  AgentId id{};                          // of the import
  AgentSecret secret{};
  std::string host = {};                        // as which it is listed among the agents
  AgentPosition acknowledged{};                 // as known from an earlier run
  Duration patience = std::chrono::minutes(1);  // without a welcome or an acknowledgment, then it gives up
};

// Confined to one thread, and blocking: each call serves the socket while it waits.
class ImportStream {
 public:
  static constexpr size_t kWindowBytes = size_t{64} << 20;  // of batches that wait for acknowledgment

  // `clock` must outlive it. A requested stop ends each call with kUnavailable.
  ImportStream(ImportStreamOptions options, const Clock& clock, std::stop_token stop);
  ~ImportStream();
  ImportStream(const ImportStream&) = delete;
  ImportStream& operator=(const ImportStream&) = delete;

  // Connects and returns what the server has of this import. Errors: kUnavailable, kInvalid (the server
  // refuses the import, and why).
  Result<AgentPosition> open();
  // Sends the batch after the last one, or after what open() has returned. Waits while kWindowBytes wait for
  // acknowledgment. Connects again if the connection ends. Errors: as open(); kCorrupt if the server has lost
  // what it had acknowledged, and so has to be sent earlier batches.
  Status send(const BatchFrame& batch);
  // Waits until all batches are acknowledged.
  Status finish();

  uint64_t acknowledged() const { return acknowledged_.seq; }
  // Lines that the server has refused, of acknowledged batches.
  uint64_t lines_refused() const { return lines_refused_; }
  uint64_t reconnects() const { return reconnects_; }

 private:
  using Fault = boost::system::error_code;
  struct Frame {
    std::shared_ptr<const std::string> bytes;  // shared with a write that is under way
    AgentPosition end;                         // after it
  };

  Status serve(const std::function<bool()>& is_done);
  void connect();
  void greet(const std::shared_ptr<Wire>& wire);
  void read(const std::shared_ptr<Wire>& wire);
  void pump();
  void drop(std::string why);
  void receive(std::string_view bytes);
  void handle(const FrameRead& frame);
  void handle_welcome(const WelcomeFrame& welcome);
  void handle_ack(const AckFrame& ack);
  void handle_refusal(const RefuseFrame& refusal);
  void forget_up_to(uint64_t seq);

  const ImportStreamOptions options_;
  const Clock& clock_;
  const std::stop_token stop_;
  boost::asio::io_context io_;
  // So that serve() can wait while there is no connection.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  NameLookups names_{io_};
  std::unique_ptr<NameLookups::Lookup> lookup_;  // null: none is under way
  boost::asio::ip::tcp::socket connecting_{io_};
  std::shared_ptr<Wire> wire_;  // null: not connected; handlers of earlier ones do nothing
  uint64_t attempt_ = 0;        // counts connections, so that handlers of earlier ones do nothing
  bool is_connecting_ = false;
  bool is_welcome_ = false;
  bool is_open_ = false;  // there was a welcome
  bool is_writing_ = false;
  std::vector<char> read_buffer_;
  std::string unread_;
  std::deque<Frame> window_;  // not acknowledged
  size_t window_bytes_ = 0;
  size_t written_ = 0;  // frames of the window that this connection was given
  AgentPosition acknowledged_;
  AgentPosition sent_;  // after the newest batch of the window
  uint64_t lines_refused_ = 0;
  uint64_t reconnects_ = 0;
  std::string away_;              // why the last connection has ended
  std::optional<Error> failure_;  // for good
  SteadyTime progress_at_{};
  SteadyTime retry_at_{};
};

}  // namespace statmill
