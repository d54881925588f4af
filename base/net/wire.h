// Wire: a TCP connection with or without TLS; its user need not know which.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/net/tls_channel.h"
#include "base/net/tls_context.h"

namespace statmill {

// Use it only on the thread of its socket's loop. Handlers are called on that thread, never from within the
// call that passes them. A handler must keep the wire alive until it is called; close() makes all pending
// ones fail.
class Wire {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Fault = boost::system::error_code;
  using Done = std::function<void(const Fault&)>;

  // Uses plain TCP if `tls` is null.
  Wire(Tcp::socket socket, std::shared_ptr<TlsContext> tls);

  // Perform the TLS handshake; do nothing on a plain connection. connect() verifies that the server's
  // certificate is for `name`.
  void accept(Done done);
  void connect(const std::string& name, Done done);
  // Waits for data. `done` receives the bytes, which are the beginning of `room`; it is used only once data
  // has arrived. Requires: no other read is pending.
  void read(std::span<char> room, std::function<void(const Fault&, std::string_view)> done);
  // Writes all bytes. They must stay valid until `done` is called. Requires: no other write is pending.
  void write(std::string_view bytes, Done done);
  void close();

  Tcp::socket& socket() { return socket_; }
  bool is_tls() const { return context_ != nullptr; }

 private:
  void handshake(Done done);
  void write_tls(std::string_view bytes, Done done);
  // Reads at once; waits if nothing has arrived.
  void read_now(std::span<char> room, std::function<void(const Fault&, std::string_view)> done);
  template <class Call>
  void wait(TlsChannel::State state, Call call);
  void post(Done done, const Fault& fault);

  Tcp::socket socket_;
  std::shared_ptr<TlsContext> context_;  // null for plain TCP
  std::unique_ptr<TlsChannel> tls_;      // null for plain TCP, and before the handshake
};

}  // namespace statmill
