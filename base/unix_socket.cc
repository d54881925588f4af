#include "base/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"

namespace statmill {
namespace {

static_assert(sizeof(sockaddr_un::sun_path) == kSocketPathBytesMax + 1);

Error io_error(int error) { return {ErrorCode::kIo, std::strerror(error)}; }

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Who can write to the directory can put another socket in the place of ours, and read what is sent there.
// The sticky bit does not help: the name may be in use before we bind to it.
Status check_directory(const std::string& directory) {
  const Descriptor opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat found {};
  if (opened.get() < 0 || ::fstat(opened.get(), &found) != 0) return io_error(errno);
  const char* fault = nullptr;
  if (found.st_uid != ::geteuid() && found.st_uid != 0) fault = "belongs to another user";
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) fault = "can be written to by other users";
  if (fault == nullptr) return Status::ok();
  return Error{ErrorCode::kInvalid, "the directory " + directory + " " + fault +
                                        ", who could replace the socket: use a directory of this user or of "
                                        "root that only its owner can write to (chmod go-w)"};
}

// Returns 0 or an errno.
int bind_to(int descriptor, const sockaddr_un& address) {
  return ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

// Returns true if a server listens on the address. The kernel refuses connections to a socket without one.
bool is_served(const sockaddr_un& address, int type) {
  const int probe = ::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const int connected = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool is_refused = connected != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !is_refused;
}

// Removes a socket without a server, after binding to its path has failed.
Status remove_stale(const std::string& path, const sockaddr_un& address, int type) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return io_error(errno);
  if (!S_ISSOCK(found.st_mode)) return Error{ErrorCode::kInvalid, "a file that is not a socket exists there"};
  if (is_served(address, type)) return Error{ErrorCode::kBusy, "another server listens there"};
  return ::unlink(path.c_str()) == 0 ? Status::ok() : Status(io_error(errno));
}

}  // namespace

Status bind_unix_socket(int descriptor, const std::string& path, mode_t mode) {
  if (path.size() > kSocketPathBytesMax) {
    return Error{ErrorCode::kInvalid, "the path has " + std::to_string(path.size()) +
                                          " bytes, and the path of a socket may have " +
                                          std::to_string(kSocketPathBytesMax)};
  }
  if (Status safe = check_directory(directory_of(path)); !safe) return safe;
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return io_error(errno);
  // Sets the mode before the socket has a name, so that others can never connect.
  if (::fchmod(descriptor, mode) != 0) return io_error(errno);
  const sockaddr_un address = address_of(path);
  int error = bind_to(descriptor, address);
  if (error == EADDRINUSE) {
    if (Status removed = remove_stale(path, address, type); !removed) return removed;
    error = bind_to(descriptor, address);
  }
  // bind() clears the bits of the umask.
  if (error == 0 && ::chmod(path.c_str(), mode) != 0) error = errno;
  return error == 0 ? Status::ok() : Status(io_error(error));
}

}  // namespace statmill
