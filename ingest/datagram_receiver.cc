#include "ingest/datagram_receiver.h"

#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/running.h"
#include "base/stage.h"
#include "ingest/peer.h"

namespace statmill {
namespace {

// The ancillary data of a message.
struct AncillaryData {
  uint32_t dropped = 0;  // datagrams that the socket has dropped so far, if has_dropped
  bool has_dropped = false;
  size_t datagram_bytes = 0;  // size of each joined datagram, the last may be shorter; 0: not joined
};

template <class Value>
Value value_of(const cmsghdr& control) {
  Value value{};
  std::memcpy(&value, CMSG_DATA(&control), sizeof value);
  return value;
}

AncillaryData read_ancillary_data(msghdr& message) {
  AncillaryData out;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
      out.dropped = value_of<uint32_t>(*c);
      out.has_dropped = true;
    } else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
      out.datagram_bytes = static_cast<size_t>(std::max(0, value_of<int>(*c)));
    }
  }
  return out;
}

}  // namespace

size_t prepare_datagram_socket(int descriptor, size_t buffer_bytes) {
  constexpr size_t kMost = std::numeric_limits<int>::max() / 2;  // the kernel doubles it
  const int wanted = static_cast<int>(std::min(buffer_bytes, kMost));
  constexpr int kOn = 1;
  // The first needs CAP_NET_ADMIN and may exceed the system's limit; the second is cut to it.
  if (::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted) != 0) {
    static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted));
  }
  static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_RXQ_OVFL, &kOn, sizeof kOn));
  // The kernel joins datagrams of one sender and size: up to 64 of them pass through it at once.
  static_cast<void>(::setsockopt(descriptor, SOL_UDP, UDP_GRO, &kOn, sizeof kOn));
  int given = 0;
  socklen_t size = sizeof given;
  static_cast<void>(::getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &given, &size));
  return static_cast<size_t>(given);
}

DatagramReceiver::DatagramReceiver(Socket socket, const Services& services)
    : socket_(std::move(socket)),
      services_(services),
      bytes_(std::make_unique_for_overwrite<char[]>(kMessagesPerCall * kMessageStride)),
      parser_(services.dialect.make_parser()) {}

void DatagramReceiver::wait() {
  socket_.async_wait(Socket::wait_read, [this](const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted || !socket_.is_open()) return;
    // The receive call clears an error of the socket (for example an ICMP
    // answer). Content never stops the receiver.
    const Running running("datagrams of lines");
    for (size_t i = 0; i < kCallsPerTurn && receive() == kMessagesPerCall; ++i) {
    }
    wait();
  });
}

size_t DatagramReceiver::receive() {
  std::array<mmsghdr, kMessagesPerCall> headers{};
  std::array<iovec, kMessagesPerCall> pieces{};
  std::array<sockaddr_storage, kMessagesPerCall> senders;
  struct alignas(cmsghdr) Control {
    std::array<char, CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(int))> bytes;
  };
  std::array<Control, kMessagesPerCall> controls{};
  for (size_t i = 0; i < kMessagesPerCall; ++i) {
    pieces[i] = {bytes_.get() + i * kMessageStride, kMessageBytesMax};
    headers[i].msg_hdr.msg_iov = &pieces[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = &senders[i];
    headers[i].msg_hdr.msg_namelen = sizeof senders[i];
    headers[i].msg_hdr.msg_control = controls[i].bytes.data();
    headers[i].msg_hdr.msg_controllen = controls[i].bytes.size();
  }
  const int got =
      ::recvmmsg(socket_.native_handle(), headers.data(), kMessagesPerCall, MSG_DONTWAIT, nullptr);
  if (got <= 0) return 0;
  const InStage stage(Stage::kParse);
  const auto networks = services_.filter.lists();
  for (size_t i = 0; i < static_cast<size_t>(got); ++i) {
    const AncillaryData ancillary = read_ancillary_data(headers[i].msg_hdr);
    const LineSender sender = line_sender(senders[i]);
    parser_->batch().set_sender(sender);
    parse_message(
        {static_cast<char*>(pieces[i].iov_base), headers[i].msg_len}, ancillary.datagram_bytes,
        networks == nullptr || sender.kind != LineSender::Kind::kHost || networks->admit(sender.address));
    if (!ancillary.has_dropped) continue;
    services_.kernel_dropped.add(static_cast<uint32_t>(ancillary.dropped - kernel_dropped_));
    kernel_dropped_ = ancillary.dropped;
  }
  submit();
  return static_cast<size_t>(got);
}

// A message is one datagram or several joined ones.
void DatagramReceiver::parse_message(std::string_view message, size_t datagram_bytes, bool is_admitted) {
  if (datagram_bytes == 0) datagram_bytes = std::max<size_t>(1, message.size());
  const size_t datagrams = std::max<size_t>(1, (message.size() + datagram_bytes - 1) / datagram_bytes);
  if (!is_admitted) return services_.denied.add(datagrams);
  services_.account.bytes.add(message.size());
  services_.datagrams.add(datagrams);
  for (; !message.empty(); message.remove_prefix(std::min(datagram_bytes, message.size()))) {
    parser_->parse(message.substr(0, datagram_bytes));  // a datagram ends its own line
    if (parser_->batch().samples.size() >= kSamplesPerBatch) submit();
  }
}

void DatagramReceiver::submit() {
  parser_->submit(services_.intake, services_.account, services_.clock.wall());
}

void DatagramReceiver::drain() {
  for (size_t i = 0; i < kDrainCallsMax && receive() > 0; ++i) {
  }
  boost::system::error_code ignored;  // the socket is closed in any case
  socket_.close(ignored);
}

}  // namespace statmill
