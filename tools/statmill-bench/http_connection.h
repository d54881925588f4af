// HttpConnection: a kept HTTP connection, as the clients of dashboards have.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill/client.h"

namespace statmill {

// A client that sends more requests opens several connections, because a server may close one after some
// (statmilld: 1000).
inline constexpr size_t kRequestsPerConnection = 500;

// Confined to one thread.
class HttpConnection {
 public:
  // Errors: kUnavailable.
  static Result<HttpConnection> open(const Endpoint& server);
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) = delete;
  ~HttpConnection();

  // `target`: path and parameters, encoded. Errors: kUnavailable if the connection ends, kIo if the answer is
  // not HTTP.
  Result<HttpAnswer> get(const std::string& target);
  // Sends a body with these fields in the header. Errors: those of get().
  Result<HttpAnswer> post(const std::string& target, const HttpFields& fields, const std::string& body);
  // Sends the request `count` times at once, and reads as many answers. Returns the last one. Errors: those
  // of get(); kIo if a status is not 200. Requires: count > 0; all answers fit into the buffers of the
  // sockets.
  Result<HttpAnswer> get_pipelined(const std::string& target, size_t count);

 private:
  struct Socket;
  explicit HttpConnection(std::unique_ptr<Socket> socket);
  Status write(const std::string& target, size_t count);
  Result<HttpAnswer> read();

  std::unique_ptr<Socket> socket_;
};

}  // namespace statmill
