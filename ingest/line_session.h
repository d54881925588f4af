// LineSession: one TCP connection that sends lines. Never answers; bad content is counted, never closes it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "ingest/connection_registry.h"
#include "ingest/dialect.h"
#include "ingest/line_buffer.h"

namespace statmill {

// What the sessions of an ingest thread use by turns: each leaves it empty.
struct ReadDesk {
  LineBuffer buffer;
  std::unique_ptr<LineParser> parser;
};

// Confined to the ingest thread of its socket. Lives as long as a wait is under way.
class LineSession : public std::enable_shared_from_this<LineSession> {
 public:
  static constexpr size_t kDrainBytesMax = 64
                                           << 20;  // at the end: a sender that never stops is not waited for

  struct Services {  // all must outlive it
    Intake& intake;
    Dialect& dialect;
    ListenerAccount account;
    ConnectionRegistry& book;
    Duration idle_timeout;  // 0: none
    Counter& idle_closed;
    const Clock& clock;
  };
  // `desk` is of the socket's thread and must outlive it.
  LineSession(boost::asio::ip::tcp::socket socket, ReadDesk& desk, const Services& services);
  ~LineSession();

  void start();
  // Takes what the kernel already has of it, then closes.
  void drain();

 private:
  void wait();
  void watch();
  void close_if_idle();
  bool read();  // once; false when the connection has ended
  void take(size_t bytes);
  void settle();
  void close(LastLine last_line);
  // Of a stream that gave `error` instead of bytes.
  LastLine last_line_after(const boost::system::error_code& error) const;

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer idle_timer_;
  SteadyTime last_read_;
  const LineSender sender_;
  const Services& services_;
  const uint64_t book_id_;
  ReadDesk& desk_;
  LineStream stream_;
  bool open_ = true;
};

}  // namespace statmill
