#include "server/demo/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cerrno>

namespace statmill {
namespace {

sockaddr_in address_of(const std::string& host, uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  return address;
}

// Returns a closed descriptor if the server cannot be reached.
Descriptor connected(int type, const std::string& from, const Endpoint& to) {
  Descriptor socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const sockaddr_in mine = address_of(from, 0);
  const sockaddr_in server = address_of(to.host, to.port);
  const auto* const my_address = reinterpret_cast<const sockaddr*>(&mine);
  const auto* const server_address = reinterpret_cast<const sockaddr*>(&server);
  if (::bind(socket.get(), my_address, sizeof mine) != 0 ||
      ::connect(socket.get(), server_address, sizeof server) != 0) {
    socket.reset();
  }
  return socket;
}

}  // namespace

LoopbackStream::LoopbackStream(const std::string& from, const Endpoint& to)
    : socket_(connected(SOCK_STREAM, from, to)) {
  const timeval patience{kPatienceSeconds, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

LoopbackStream::LoopbackStream(const std::string& path)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    socket_.reset();
}

void LoopbackStream::send(std::string_view bytes) {
  while (is_open() && !bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno != EINTR) {
      close();
    }
  }
}

void LoopbackStream::receive(std::string& bytes) {
  std::array<char, 4096> room;
  while (is_open()) {
    const ssize_t received = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (received > 0) {
      bytes.append(room.data(), static_cast<size_t>(received));
    } else if (received == 0 || (errno != EAGAIN && errno != EINTR)) {
      close();
    } else if (errno == EAGAIN) {
      break;
    }
  }
}

void send_datagram(const std::string& from, const Endpoint& to, std::string_view bytes) {
  const Descriptor socket = connected(SOCK_DGRAM, from, to);
  if (socket.is_open()) static_cast<void>(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

std::string loopback_address(uint8_t network, size_t number) {
  return "127." + std::to_string(network) + "." + std::to_string(number / 250 % 250) + "." +
         std::to_string(number % 250 + 1);
}

}  // namespace statmill
