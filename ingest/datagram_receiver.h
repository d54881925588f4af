// DatagramReceiver: one socket, of UDP or a unix one, that takes datagrams of lines, many per system call.
// Never answers a datagram.
#pragma once

#include <boost/asio/generic/datagram_protocol.hpp>
#include <memory>

#include "ingest/dialect.h"

namespace statmill {

// Confined to its ingest thread.
class DatagramReceiver {
 public:
  static constexpr size_t kMessagesPerCall = 32;
  static constexpr size_t kMessageBytesMax = 65536;  // no datagram is larger, nor several joined
  // From one message to the next in memory. Not a power of two, else all would share a few lines of the
  // cache.
  static constexpr size_t kMessageStride = kMessageBytesMax + 2112;
  static constexpr size_t kSamplesPerBatch = 8192;  // more are taken in several
  static constexpr size_t kCallsPerTurn = 16;       // then others of the thread have their turn
  static constexpr size_t kDrainCallsMax = 4096;    // at the end: a sender that never stops is not waited for

  struct Services {  // all must outlive it
    Intake& intake;
    Dialect& dialect;
    ListenerAccount account;
    Counter& datagrams;
    Counter& kernel_dropped;  // datagrams that the kernel had no room for (SO_RXQ_OVFL)
    const Clock& clock;
  };
  using Socket = boost::asio::generic::datagram_protocol::socket;
  // `socket` is bound and non-blocking.
  DatagramReceiver(Socket socket, const Services& services);

  void start() { wait(); }
  // Takes what the kernel already has, then closes.
  void drain();

 private:
  void wait();
  // One recvmmsg and all its messages; how many came.
  size_t receive();
  void take(std::string_view message, size_t datagram_bytes);
  void settle();

  Socket socket_;
  const Services& services_;
  const std::unique_ptr<char[]> bytes_;  // untouched, and no memory, until datagrams come
  const std::unique_ptr<LineParser> parser_;
  uint32_t kernel_dropped_ = 0;  // the socket's own count so far; wraps as it does
};

// Asks for a receive buffer of so many bytes (the kernel may give less), for the drop count with each
// datagram and for joined datagrams, as far as its kind has that. Returns the bytes given, in the kernel's
// count: twice what was asked for.
size_t prepare_datagram_socket(int descriptor, size_t buffer_bytes);

}  // namespace statmill
