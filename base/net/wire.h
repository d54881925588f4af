// Wire: a TCP connection with or without TLS; its user need not know which.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// Use it only on the thread of its socket's loop. Handlers are called on that thread, never from within the
// call that passes them. A handler must stay valid until it is called; close() makes all pending ones fail.
class Wire {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Fault = boost::system::error_code;

  // Uses plain TCP if `tls` is null. `tls` must outlive the wire.
  Wire(Tcp::socket socket, boost::asio::ssl::context* tls);

  // Perform the TLS handshake; do nothing on a plain connection. connect() verifies that the server's
  // certificate is for `name`.
  void accept(std::function<void(const Fault&)> done);
  void connect(const std::string& name, std::function<void(const Fault&)> done);
  // Waits for data. `done` receives the bytes, which are valid until the next read(). They are in `room`,
  // which is used only once data has arrived, or in a buffer of the wire. Requires: no other read is pending.
  void read(std::span<char> room, std::function<void(const Fault&, std::string_view)> done);
  // Writes all bytes. They must stay valid until `done` is called. Requires: no other write is pending.
  void write(std::string_view bytes, std::function<void(const Fault&)> done);
  void close();

  Tcp::socket& socket();
  bool is_tls() const { return tls_ != nullptr; }

 private:
  using TlsStream = boost::asio::ssl::stream<Tcp::socket>;
  static constexpr size_t kTlsReadBytes = 17 * 1024;  // one TLS record

  std::unique_ptr<TlsStream> tls_;  // null for plain TCP; otherwise plain_ is null
  std::unique_ptr<Tcp::socket> plain_;
  std::vector<char> tls_bytes_;
};

// The TLS context of a server, from PEM files with its certificate chain and key; TLS 1.2 or later. Errors:
// kInvalid, with the name of the file.
Result<std::unique_ptr<boost::asio::ssl::context>> server_tls(const std::string& certificate_file,
                                                              const std::string& key_file);
// The TLS context of a client that trusts the certificates in a PEM file; those of the system if the name is
// empty. Errors: kInvalid.
Result<std::unique_ptr<boost::asio::ssl::context>> client_tls(const std::string& authority_file);

}  // namespace statmill
