#include "agent/collectors/tcp_sockets.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/thread_cpu.h"

namespace statmill {
namespace {

constexpr size_t kDatagramBytes = size_t{64} << 10;  // the kernel fills at most 32 KiB
constexpr uint8_t kTimeWaitTimer = 3;                // net/ipv4/inet_diag.c
constexpr uint32_t kAllStates = (1U << (kTcpStates.size() + 1)) - 2;
constexpr uint32_t kAskedStates = kAllStates & ~(1U << (kTcpEstablished + 1)) & ~(1U << (kTcpTimeWait + 1));

Error diag_failure(std::string_view call, int error) {
  return {ErrorCode::kUnavailable, "sock_diag: " + std::string(call) + ": " + std::strerror(error)};
}

// Returns the T at the begin of the bytes, or nullopt if they are too few.
template <class T>
std::optional<T> front(std::span<const std::byte> bytes) {
  T value{};
  if (bytes.size() < sizeof(value)) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

void add_socket(const inet_diag_msg& socket, TcpSockets& sockets) {
  const size_t state = size_t{socket.idiag_state} - 1;
  ++sockets.sockets;
  if (state >= sockets.count.size()) return;
  ++sockets.count.at(state);
  if (socket.idiag_timer == kTimeWaitTimer) ++sockets.abandoned;
  if (state != kTcpListen) return;
  // The queue has one place more than its limit (sk_acceptq_is_full).
  const double places = static_cast<double>(socket.idiag_wqueue) + 1;
  sockets.waiting += socket.idiag_rqueue;
  sockets.fullest_percent =
      std::max(sockets.fullest_percent, 100.0 * static_cast<double>(socket.idiag_rqueue) / places);
}

Status send_request(int netlink, uint8_t family) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 request;
  } message{};
  message.header.nlmsg_len = sizeof(message);
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = family;
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_states = kAskedStates;
  if (::send(netlink, &message, sizeof(message), 0) < 0) return diag_failure("send", errno);
  return Status::ok();
}

}  // namespace

Result<bool> add_sockets(std::span<const std::byte> datagram, TcpSockets& sockets) {
  const Error damaged{ErrorCode::kCorrupt, "sock_diag: an answer that is not as expected"};
  while (!datagram.empty()) {
    const auto header = front<nlmsghdr>(datagram);
    if (!header || header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size())
      return damaged;
    const auto body = datagram.subspan(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
    if (header->nlmsg_type == NLMSG_DONE) return false;
    if (header->nlmsg_type == NLMSG_ERROR) {
      const auto error = front<nlmsgerr>(body);
      return error ? diag_failure("dump", -error->error) : damaged;
    }
    const auto socket = front<inet_diag_msg>(body);
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || !socket) return damaged;
    add_socket(*socket, sockets);
    datagram = datagram.subspan(std::min<size_t>(NLMSG_ALIGN(header->nlmsg_len), datagram.size()));
  }
  return true;
}

Result<TcpSockets> count_tcp_sockets() {
  const auto begin = thread_cpu_ns();  // the kernel makes the answer in recv()
  const Descriptor netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink.is_open()) return diag_failure("socket", errno);
  const timeval patience{.tv_sec = 1, .tv_usec = 0};  // a kernel that does not answer is not known
  if (::setsockopt(netlink.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0)
    return diag_failure("setsockopt", errno);
  TcpSockets sockets;
  std::vector<std::byte> datagram(kDatagramBytes);
  for (const uint8_t family : {uint8_t{AF_INET}, uint8_t{AF_INET6}}) {
    if (Status sent = send_request(netlink.get(), family); !sent) return sent.error();
    for (bool goes_on = true; goes_on;) {
      const ssize_t size = ::recv(netlink.get(), datagram.data(), datagram.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return diag_failure("recv", errno);
      const auto added = add_sockets(std::span(datagram).first(static_cast<size_t>(size)), sockets);
      if (!added) return added.error();
      goes_on = *added && size != 0;
      if (sockets.sockets > kTcpSocketsMax)
        return Error{ErrorCode::kLimit, "sock_diag: more than 50,000 TCP sockets in other states"};
      if (thread_cpu_ns() - begin > kTcpTimeNsMax)
        return Error{ErrorCode::kLimit, "sock_diag: it took longer than 50 ms of CPU time"};
    }
  }
  return sockets;
}

}  // namespace statmill
