#include "counters/report_socket.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace statmill {
namespace {

constexpr size_t kDatagramMax = 1400;      // not fragmented on common networks
constexpr size_t kUnixDatagramMax = 8192;  // fits into any socket buffer
constexpr timeval kPatience{2, 0};

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

int connected(int family, int type, const sockaddr* address, socklen_t size) {
  const int descriptor = ::socket(family, type | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience));
  if (::connect(descriptor, address, size) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

std::optional<ReportSocket> ReportSocket::at(std::string_view address, std::string& error) {
  const auto bad = [&](std::string_view why) {
    error = "address \"" + std::string(address) + "\": " + std::string(why);
    return std::nullopt;
  };
  const size_t colon = address.find(':');
  const std::string_view scheme = address.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : address.substr(colon + 1);
  if (scheme == "unix") {
    if (rest.empty() || rest.size() >= sizeof(sockaddr_un::sun_path))
      return bad("the path is empty or too long");
    return ReportSocket(Kind::kUnix, std::string(rest), {});
  }
  if (scheme != "udp" && scheme != "tcp") return bad("does not start with udp:, tcp: or unix:");
  const size_t last = rest.rfind(':');
  if (last == std::string_view::npos || last == 0 || last + 1 == rest.size()) return bad("is not HOST:PORT");
  std::string_view host = rest.substr(0, last);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return ReportSocket(scheme == "udp" ? Kind::kUdp : Kind::kTcp, std::string(host),
                      std::string(rest.substr(last + 1)));
}

ReportSocket::ReportSocket(Kind kind, std::string host, std::string port)
    : kind_(kind), host_(std::move(host)), port_(std::move(port)) {}

ReportSocket::ReportSocket(ReportSocket&& other) noexcept
    : kind_(other.kind_),
      host_(other.host_),
      port_(other.port_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

size_t ReportSocket::bytes_max() const {
  if (kind_ == Kind::kUdp) return kDatagramMax;
  return kind_ == Kind::kUnix ? kUnixDatagramMax : std::numeric_limits<size_t>::max() / 2;
}

bool ReportSocket::open() {
  if (descriptor_ >= 0 && is_closed_by_peer()) close();
  if (descriptor_ >= 0) return true;
  if (kind_ == Kind::kUnix) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, host_.data(), host_.size());
    descriptor_ = connected(AF_UNIX, SOCK_DGRAM, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return descriptor_ >= 0;
  }
  addrinfo hints{};
  hints.ai_socktype = kind_ == Kind::kUdp ? SOCK_DGRAM : SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found) != 0) return false;
  const Addresses addresses(found, &::freeaddrinfo);
  for (const addrinfo* a = found; a != nullptr && descriptor_ < 0; a = a->ai_next)
    descriptor_ = connected(a->ai_family, a->ai_socktype, a->ai_addr, a->ai_addrlen);
  return descriptor_ >= 0;
}

void ReportSocket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

// After the peer has closed the connection, the kernel would accept one more write and lose it.
bool ReportSocket::is_closed_by_peer() const {
  char byte = 0;
  return kind_ == Kind::kTcp && ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

size_t ReportSocket::send(std::string_view bytes) {
  if (!open()) return 0;
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      close();
      break;
    }
    sent += static_cast<size_t>(n);
  }
  return sent;
}

}  // namespace statmill
