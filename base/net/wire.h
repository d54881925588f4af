// Wire: a TCP connection, in TLS or plain, whose user need not know which.
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

// Confined to the thread of its socket's loop. Handlers are called on it, never by the call that sets them.
// Whoever hands one in must live until it was called: close() ends all that is under way, with an error.
class Wire {
 public:
  using Tcp = boost::asio::ip::tcp;
  using Fault = boost::system::error_code;

  // `tls` null: plain. It must outlive the wire.
  Wire(Tcp::socket socket, boost::asio::ssl::context* tls);

  // TLS's greeting; nothing to do when plain. A client's checks that the server's certificate is for `name`.
  void accept(std::function<void(const Fault&)> done);
  void connect(const std::string& name, std::function<void(const Fault&)> done);
  // Waits until something has come. It is in `room`, which is looked at only then, or in memory of the wire's
  // own, until the next read(). Requires: no read under way.
  void read(std::span<char> room, std::function<void(const Fault&, std::string_view)> done);
  // Writes all of it. The bytes must stay. Requires: no write under way.
  void write(std::string_view bytes, std::function<void(const Fault&)> done);
  void close();

  Tcp::socket& socket();
  bool is_tls() const { return tls_ != nullptr; }

 private:
  using TlsStream = boost::asio::ssl::stream<Tcp::socket>;
  static constexpr size_t kTlsReadBytes = 17 * 1024;  // a record of TLS

  std::unique_ptr<TlsStream> tls_;  // one of the two
  std::unique_ptr<Tcp::socket> plain_;
  std::vector<char> tls_bytes_;
};

// What a server shows: certificate chain and key, PEM files. TLS 1.2 at least. Errors: kInvalid, with the
// file's name.
Result<std::unique_ptr<boost::asio::ssl::context>> server_tls(const std::string& certificate_file,
                                                              const std::string& key_file);
// What a client believes: certificates in a PEM file, or the system's when empty. Errors: kInvalid.
Result<std::unique_ptr<boost::asio::ssl::context>> client_tls(const std::string& authority_file);

}  // namespace statmill
