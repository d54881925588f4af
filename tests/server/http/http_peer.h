// For session tests: a server on a free port with its own thread, and a client that keeps its connection.
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/http/http_server.h"
#include "tests/server/http/fake_services.h"
#include "tests/support/sockets.h"

namespace statmill {

struct PeerReply {
  int status = 0;  // 0: the connection ended before a whole answer
  std::map<std::string, std::string> fields;
  std::string body;
};

// One connection. Waits are bounded by kSocketTimeout.
class HttpPeer {
 public:
  explicit HttpPeer(const Endpoint& server) : HttpPeer(TcpConnection::to(server)) {}
  explicit HttpPeer(TcpConnection connection) : connection_(std::move(connection)) {}

  bool send(std::string_view bytes) { return connection_.send(bytes); }
  // Sends a GET with a Host field only.
  bool send_get(std::string_view target);
  PeerReply receive() { return receive_answer(true); }
  PeerReply receive_head() { return receive_answer(false); }
  // Waits for the first bytes of an answer and leaves the rest unread.
  bool receive_some() { return receive_until(received_.size() + 1); }
  // Returns true if the server closes the connection without sending another byte within the time limit.
  bool sees_end();
  void finish_sending() { connection_.finish_sending(); }
  void close() { connection_.close(); }

 private:
  PeerReply receive_answer(bool has_body);
  bool receive_chunks(std::string& body);
  bool receive_until(size_t size);

  TcpConnection connection_;
  std::string received_;
};

// Runs from start() to stop(). The destructor stops it, too.
class RunningServer {
 public:
  explicit RunningServer(FakeServices& fake, HttpOptions options = {}, size_t threads = 2,
                         const KnownHosts* hosts = nullptr, const Access* access = nullptr);
  ~RunningServer() { stop(); }

  const Endpoint& endpoint() const { return server_->local_endpoint(); }
  size_t buffered_bytes() const { return server_->buffered_bytes(); }
  // Returns when the steps that were due have been made, such as those after an answer. Requires: one thread.
  void finish_steps();
  // Starts the stop and returns at once.
  void begin_stop() { server_->stop(); }
  // Returns when the server has no more work.
  void stop();

 private:
  boost::asio::io_context io_;
  std::optional<CurrentAccess> access_;
  std::unique_ptr<HttpServer> server_;
  std::vector<std::thread> threads_;
};

}  // namespace statmill
