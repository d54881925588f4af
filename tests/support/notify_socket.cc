#include "tests/support/notify_socket.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>

#include "base/check.h"
#include "tests/support/sockets.h"

namespace statmill {

NotifySocket::NotifySocket() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path();
  SM_CHECK(name.size() < sizeof(address.sun_path));
  name.copy(address.sun_path, name.size());
  SM_CHECK(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  const timeval limit{kSocketTimeout.count(), 0};
  SM_CHECK(::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
}

std::string NotifySocket::path() const { return directory_.path() / "notify"; }

bool NotifySocket::wait_for(std::string_view part) const {
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (size < 0) return false;
    const std::string_view message(bytes.data(), static_cast<size_t>(size));
    if (message.find(part) != std::string_view::npos) return true;
  }
}

}  // namespace statmill
