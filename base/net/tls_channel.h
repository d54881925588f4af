// TlsChannel: TLS on a socket that does not block. OpenSSL reads and writes the socket itself, so a
// connection without unread bytes holds no buffers.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace statmill {

// Confined to one thread at a time. Requires: the process ignores SIGPIPE, which a write to a connection that
// is gone would raise.
class TlsChannel {
 public:
  // What a call has done, or what it waits for.
  enum class State : uint8_t {
    kDone,
    kWaitRead,   // call again once the socket can be read
    kWaitWrite,  // call again once the socket can be written
    kFailed,
  };
  struct Outcome {
    State state = State::kFailed;
    size_t bytes = 0;                 // done: how many were read or written, at least one
    boost::system::error_code fault;  // failed: asio::error::eof if the peer has ended the stream
  };

  // A server's side. The socket must stay open while this lives; the channel does not close it. Keeps what it
  // needs of the context.
  TlsChannel(boost::asio::ssl::context& context, int socket);
  // A client's side, which accepts only a certificate for `name`, a host name or an IP address.
  TlsChannel(boost::asio::ssl::context& context, int socket, const std::string& name);
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  Outcome handshake();
  // Reads what has arrived, up to the size of `room`. Requires: the room is not empty.
  Outcome read(std::span<char> room);
  // Writes the beginning of `bytes`, at most one record of 16 KiB. Requires: `bytes` is not empty.
  Outcome write(std::string_view bytes);
  // Returns true if bytes have arrived that the socket no longer has, so that waiting for it may take
  // forever.
  bool holds_bytes() const;
  // Says that no more will be written, without waiting.
  void end_writing();

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  Outcome outcome(int result);

  std::unique_ptr<SSL, Free> ssl_;
  std::optional<Outcome> failed_;  // of the last read
  bool is_ready_ = false;          // the handshake is done, and nothing has failed
};

}  // namespace statmill
