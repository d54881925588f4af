// TlsConnection: a blocking client's side of TLS for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/net/tls_channel.h"
#include "base/net/tls_context.h"
#include "base/text.h"
#include "tests/support/sockets.h"

namespace statmill {

// No call waits longer than kSocketTimeout.
class TlsConnection {
 public:
  // Trusts the certificates in the PEM file `authority`. The result is not connected if the handshake fails.
  static TlsConnection to(const Endpoint& endpoint, const std::string& authority);

  bool is_connected() const { return tls_ != nullptr; }
  bool send(std::string_view bytes);
  // Returns everything up to the peer's end; `*is_cut` says whether the stream ended without one.
  std::string receive_all(bool* is_cut = nullptr);
  // Ends the stream from this side as TLS wants it.
  void end_writing() { tls_->end_writing(); }
  void close() { socket_.reset(); }

 private:
  explicit TlsConnection(Descriptor socket) : socket_(std::move(socket)) {}
  bool wait(TlsChannel::State state) const;

  Descriptor socket_;
  std::unique_ptr<TlsChannel> tls_;  // null: not connected
};

}  // namespace statmill
