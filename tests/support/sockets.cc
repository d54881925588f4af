#include "tests/support/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "base/check.h"

namespace statmill {
namespace {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

Address address_of(const Endpoint& endpoint) {
  Address out;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&out.bytes);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&out.bytes);
  if (::inet_pton(AF_INET, endpoint.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(endpoint.port);
    out.size = sizeof(*v4);
  } else {
    SM_CHECK(::inet_pton(AF_INET6, endpoint.host.c_str(), &v6->sin6_addr) == 1);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(endpoint.port);
    out.size = sizeof(*v6);
  }
  return out;
}

Descriptor open_socket(const Address& address, int type) {
  Descriptor out(::socket(address.bytes.ss_family, type | SOCK_CLOEXEC, 0));
  SM_CHECK(out.is_open());
  const timeval limit{.tv_sec = kSocketTimeout.count(), .tv_usec = 0};
  SM_CHECK(::setsockopt(out.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  SM_CHECK(::setsockopt(out.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  return out;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Endpoint endpoint_of(std::string_view text) {
  const Result<Endpoint> endpoint = parse_endpoint(text);
  SM_CHECK(endpoint.has_value());
  return *endpoint;
}

TcpConnection TcpConnection::to(const Endpoint& endpoint) {
  const Address address = address_of(endpoint);
  Descriptor socket = open_socket(address, SOCK_STREAM);
  if (::connect(socket.get(), address.get(), address.size) != 0) socket.reset();
  return TcpConnection(std::move(socket));
}

TcpConnection TcpConnection::to(const Endpoint& endpoint, const std::string& source) {
  const Address address = address_of(endpoint);
  const Address own = address_of({source, 0});
  Descriptor socket = open_socket(address, SOCK_STREAM);
  SM_CHECK(::bind(socket.get(), own.get(), own.size) == 0);
  if (::connect(socket.get(), address.get(), address.size) != 0) socket.reset();
  return TcpConnection(std::move(socket));
}

TcpConnection unix_connection(const std::string& path) {
  Address address;
  auto* name = reinterpret_cast<sockaddr_un*>(&address.bytes);
  SM_CHECK(path.size() < sizeof(name->sun_path));
  name->sun_family = AF_UNIX;
  path.copy(name->sun_path, path.size());
  address.size = sizeof(*name);
  Descriptor socket = open_socket(address, SOCK_STREAM);
  if (::connect(socket.get(), address.get(), address.size) != 0) socket.reset();
  return TcpConnection(std::move(socket));
}

bool TcpConnection::send(std::string_view bytes) { return send_all(socket_.get(), bytes); }

std::string TcpConnection::receive() {
  std::array<char, 65536> buffer;
  const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  return n > 0 ? std::string(buffer.data(), static_cast<size_t>(n)) : std::string();
}

std::string TcpConnection::receive_all() {
  std::string out;
  for (std::string part = receive(); !part.empty(); part = receive()) out += part;
  return out;
}

void TcpConnection::finish_sending() { ::shutdown(socket_.get(), SHUT_WR); }

void TcpConnection::abort() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  socket_.reset();
}

UdpSender::UdpSender(const Endpoint& endpoint, const std::string& source) {
  const Address address = address_of(endpoint);
  socket_ = open_socket(address, SOCK_DGRAM);
  if (!source.empty()) {
    const Address own = address_of({source, 0});
    SM_CHECK(::bind(socket_.get(), own.get(), own.size) == 0);
  }
  SM_CHECK(::connect(socket_.get(), address.get(), address.size) == 0);
}

bool UdpSender::send(std::string_view datagram) {
  return ::send(socket_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(datagram.size());
}

bool UdpSender::send_cut(std::string_view bytes, uint16_t datagram_bytes) {
  const int size = datagram_bytes;
  const bool cuts = ::setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &size, sizeof(size)) == 0;
  const bool sent = cuts && send(bytes);
  const int whole = 0;
  return ::setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &whole, sizeof(whole)) == 0 && sent;
}

TcpListener::TcpListener() {
  const Address any = address_of({.host = "127.0.0.1", .port = 0});
  socket_ = open_socket(any, SOCK_STREAM);
  SM_CHECK(::bind(socket_.get(), any.get(), any.size) == 0);
  SM_CHECK(::listen(socket_.get(), 64) == 0);
  sockaddr_in bound{};
  socklen_t size = sizeof(bound);
  SM_CHECK(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0);
  endpoint_ = {.host = "127.0.0.1", .port = ntohs(bound.sin_port)};
}

TcpConnection TcpListener::accept() {
  Descriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));  // SO_RCVTIMEO limits the wait
  const timeval limit{.tv_sec = kSocketTimeout.count(), .tv_usec = 0};
  if (peer.is_open()) ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  return TcpConnection(std::move(peer));
}

void TcpListener::stop() { ::shutdown(socket_.get(), SHUT_RDWR); }

uint16_t unused_port() { return TcpListener().endpoint().port; }

}  // namespace statmill
