// See udp_receiver.h.
#include "server/ingest/udp_receiver.h"

#include <sys/socket.h>

#include <array>
#include <cstring>

#include "proto/istatd_lines.h"
#include "server/ingest/peer.h"

namespace statmill {

size_t prepare_udp_socket(int descriptor) {
  constexpr int kWanted = 32 << 20;
  constexpr int kOn = 1;
  // The first needs CAP_NET_ADMIN and may pass the system's limit, the second is cut to it.
  if (::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &kWanted, sizeof kWanted) != 0) {
    static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &kWanted, sizeof kWanted));
  }
  static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_RXQ_OVFL, &kOn, sizeof kOn));
  int given = 0;
  socklen_t size = sizeof given;
  static_cast<void>(::getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &given, &size));
  return static_cast<size_t>(given);
}

UdpReceiver::UdpReceiver(boost::asio::ip::udp::socket socket, const Services& services)
    : socket_(std::move(socket)), services_(services), bytes_(kDatagramsPerCall * kDatagramBytesMax) {}

void UdpReceiver::wait() {
  socket_.async_wait(boost::asio::ip::udp::socket::wait_read, [this](const boost::system::error_code& error) {
    if (error == boost::asio::error::operation_aborted || !socket_.is_open()) return;
    // An error of the socket (an ICMP answer, say) is read off by the receive call; content never stops the
    // source.
    for (size_t i = 0; i < kCallsPerTurn && receive() == kDatagramsPerCall; ++i) {
    }
    wait();
  });
}

size_t UdpReceiver::receive() {
  std::array<mmsghdr, kDatagramsPerCall> headers{};
  std::array<iovec, kDatagramsPerCall> pieces{};
  std::array<boost::asio::ip::udp::endpoint, kDatagramsPerCall> senders;
  struct alignas(cmsghdr) Control {
    std::array<char, CMSG_SPACE(sizeof(uint32_t))> bytes;
  };
  std::array<Control, kDatagramsPerCall> controls{};
  for (size_t i = 0; i < kDatagramsPerCall; ++i) {
    pieces[i] = {bytes_.data() + i * kDatagramBytesMax, kDatagramBytesMax};
    headers[i].msg_hdr.msg_iov = &pieces[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = senders[i].data();
    headers[i].msg_hdr.msg_namelen = static_cast<socklen_t>(senders[i].capacity());
    headers[i].msg_hdr.msg_control = controls[i].bytes.data();
    headers[i].msg_hdr.msg_controllen = controls[i].bytes.size();
  }
  const int got =
      ::recvmmsg(socket_.native_handle(), headers.data(), kDatagramsPerCall, MSG_DONTWAIT, nullptr);
  if (got <= 0) return 0;
  for (size_t i = 0; i < static_cast<size_t>(got); ++i) {
    const std::string_view datagram(static_cast<char*>(pieces[i].iov_base), headers[i].msg_len);
    services_.account.bytes.add(datagram.size());
    batch_.set_sender(line_sender(senders[i].address(), 0));  // a port of a datagram tells nobody anything
    parse_istatd_lines(datagram, batch_);
    for (cmsghdr* c = CMSG_FIRSTHDR(&headers[i].msg_hdr); c != nullptr;
         c = CMSG_NXTHDR(&headers[i].msg_hdr, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
      uint32_t dropped = 0;
      std::memcpy(&dropped, CMSG_DATA(c), sizeof dropped);
      services_.kernel_dropped.add(static_cast<uint32_t>(dropped - kernel_dropped_));
      kernel_dropped_ = dropped;
    }
  }
  services_.datagrams.add(static_cast<uint64_t>(got));
  services_.intake.take(batch_, services_.account, services_.clock.wall());
  batch_.clear();
  return static_cast<size_t>(got);
}

void UdpReceiver::drain() {
  for (size_t i = 0; i < kDrainCallsMax && receive() > 0; ++i) {
  }
  boost::system::error_code ignored;  // it is gone either way
  socket_.close(ignored);
}

}  // namespace statmill
