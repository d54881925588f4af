// LineSession: one connection, over TCP or a unix socket, that sends lines, or frames with a length in front.
// It never answers. Bad content is counted and never closes the connection, unless it shows that the
// connection speaks another protocol than the port: an HTTP request, a pickle at a port for lines, lines at a
// port for frames.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "base/log.h"
#include "base/net/handshake_log.h"
#include "base/net/tls_channel.h"
#include "base/net/tls_context.h"
#include "ingest/connection_registry.h"
#include "ingest/dialect.h"
#include "ingest/frame_cutter.h"
#include "ingest/line_buffer.h"

namespace statmill {

// The sessions of an ingest thread share these in turn: each leaves them empty.
struct ReadBuffers {
  LineBuffer lines;
  std::unique_ptr<LineParser> parser;
};

// Confined to the ingest thread of its socket. A pending wait keeps it alive.
class LineSession : public std::enable_shared_from_this<LineSession> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;  // TCP, or a unix socket
  static constexpr size_t kDrainBytesMax = 64 << 20;             // for drain(), since a sender may never stop

  struct Services {  // all must outlive it
    Intake& intake;
    Dialect& dialect;
    ListenerAccount account;
    StreamFormat streams;
    ConnectionRegistry& connection_registry;
    Duration handshake_timeout;  // of TLS, from the accept
    Duration idle_timeout;       // 0: none
    Counter& idle_closed;
    Counter& handshake_failures;
    Counter& http_closed;
    Counter& foreign_closed;
    const Clock& clock;
    Log& log;
    LogLimiter& http_log;
    LogLimiter& foreign_log;
    HandshakeLog& handshake_log;
  };
  // `tls` is null for plain text; it must be valid during this call. `buffers` belongs to the socket's thread
  // and must outlive the session.
  LineSession(Socket socket, const LineSender& sender, TlsContext* tls, ReadBuffers& buffers,
              const Services& services);
  ~LineSession();

  void start();
  // Reads what the kernel has already received, then closes the connection.
  void drain();

 private:
  struct Piece {  // what a read has got
    size_t bytes = 0;
    boost::system::error_code error;  // would_block: nothing has arrived
  };
  void wait();
  void watch();
  std::optional<SteadyTime> deadline() const;  // nullopt: none
  void close_if_late();
  bool read();  // reads what there is; returns false if the connection has ended
  Piece read_piece();
  bool handshake();  // returns false if it has closed the connection
  // Parses the bytes of a read; returns false if it has closed the connection.
  bool parse(size_t bytes);
  bool parse_lines(std::string_view fresh);
  bool parse_frames(std::string_view fresh);
  bool begins_with_http(std::string_view fresh);
  void close_http();
  // Closes a connection whose content is `what`.
  void close_foreign(std::string_view what);
  void submit();
  void close(LastLine last_line);
  // Returns what to do with the last line of a stream whose read failed with `error`.
  LastLine last_line_after(const boost::system::error_code& error) const;

  Socket socket_;
  std::unique_ptr<TlsChannel> tls_;  // null: plain text
  bool is_shaking_hands_;
  bool has_more_ = false;        // TLS has bytes that the kernel would not tell of
  bool waits_to_write_ = false;  // TLS has something to say
  boost::asio::steady_timer timer_;
  const SteadyTime accepted_;
  SteadyTime last_read_;
  const LineSender sender_;
  const Services& services_;
  const uint64_t connection_id_;
  ReadBuffers& buffers_;
  LineStream stream_;
  std::optional<FrameCutter> frames_;  // nullopt: the stream has lines
  bool is_first_line_seen_ = false;
  bool open_ = true;
};

}  // namespace statmill
