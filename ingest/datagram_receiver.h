// DatagramReceiver: receives datagrams of lines from one UDP or unix socket, many per system call, and
// submits their samples to the intake. Never answers a datagram.
#pragma once

#include <boost/asio/generic/datagram_protocol.hpp>
#include <memory>

#include "base/net/network_filter.h"
#include "ingest/dialect.h"

namespace statmill {

// Confined to its ingest thread.
class DatagramReceiver {
 public:
  static constexpr size_t kMessagesPerCall = 32;
  static constexpr size_t kMessageBytesMax = 65536;  // no datagram, and no group of joined ones, is larger
  // The distance between messages in memory. With a power of two, all would share a few lines of the cache.
  static constexpr size_t kMessageStride = kMessageBytesMax + 2112;
  static constexpr size_t kSamplesPerBatch = 8192;  // a batch that reaches it is submitted
  static constexpr size_t kCallsPerTurn = 16;       // then the thread serves its other sockets
  static constexpr size_t kDrainCallsMax = 4096;    // for drain(), since a sender may never stop

  struct Services {  // all must outlive it
    Intake& intake;
    Dialect& dialect;
    ListenerAccount account;
    Counter& datagrams;
    Counter& kernel_dropped;  // datagrams that the kernel dropped because its buffer was full (SO_RXQ_OVFL)
    Counter& denied;          // datagrams whose sender `filter` does not admit
    const NetworkFilter& filter;
    const Clock& clock;
  };
  using Socket = boost::asio::generic::datagram_protocol::socket;
  // Requires: `socket` is bound and non-blocking.
  DatagramReceiver(Socket socket, const Services& services);

  void start() { wait(); }
  // Receives what the kernel already has, then closes the socket.
  void drain();

 private:
  void wait();
  // Calls recvmmsg once and submits the samples of all its messages. Returns the number of messages.
  size_t receive();
  void parse_message(std::string_view message, size_t datagram_bytes, bool is_admitted);
  void submit();

  Socket socket_;
  const Services& services_;
  const std::unique_ptr<char[]> bytes_;  // its pages use no memory until datagrams arrive
  const std::unique_ptr<LineParser> parser_;
  uint32_t kernel_dropped_ = 0;  // the kernel's last count for this socket; it wraps
};

// Sets the receive buffer's size (the kernel may allow less) and enables, if the kind of socket supports
// them, drop counts with each datagram and joined datagrams (UDP_GRO). Returns the size that the kernel
// reports, which is twice the size set.
size_t prepare_datagram_socket(int descriptor, size_t buffer_bytes);

}  // namespace statmill
