#include "tools/statmill-bench/bpf_loads.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "tools/statmill-bench/scratch_directory.h"
#include "tools/statmill-bench/system_error.h"

namespace statmill {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    is_open = ::pipe2(ends.data(), O_CLOEXEC) == 0;
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  bool put() const { return ::write(write_end.get(), "x", 1) == 1; }
  bool get() const {
    char byte = 0;
    return ::read(read_end.get(), &byte, 1) == 1;
  }
  Descriptor read_end;
  Descriptor write_end;
  bool is_open = false;
};

// Pins this thread, and threads that it starts, to its present CPU until destruction.
class Pinned {
 public:
  Pinned() {
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof(one), &one);
  }
  ~Pinned() { ::sched_setaffinity(0, sizeof(before_), &before_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
};

// A socket on a free port of the loopback interface, and its address.
struct Bound {
  explicit Bound(int type) : socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    is_open = ::bind(socket.get(), any(), size) == 0 && ::getsockname(socket.get(), any(), &size) == 0;
  }
  sockaddr* any() { return reinterpret_cast<sockaddr*>(&address); }
  Descriptor socket;
  sockaddr_in address{};
  bool is_open = false;
};

}  // namespace

Result<double> ping_pong(uint64_t rounds) {
  const Pipe there;
  const Pipe back;
  if (!there.is_open || !back.is_open) return system_error(ErrorCode::kIo, "pipe");
  const Pinned pinned;
  std::thread other([&] {
    for (uint64_t i = 0; i < rounds; ++i) {
      if (!there.get() || !back.put()) return;
    }
  });
  const auto start = std::chrono::steady_clock::now();
  bool is_well = true;
  for (uint64_t i = 0; i < rounds && is_well; ++i) is_well = there.put() && back.get();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  other.join();
  if (!is_well) return system_error(ErrorCode::kIo, "pipe");
  return took.count() / static_cast<double>(rounds);
}

Status send_datagrams(uint64_t count) {
  Bound receiver(SOCK_DGRAM);
  const Descriptor sender(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!receiver.is_open || sender.get() < 0) return system_error(ErrorCode::kIo, "UDP socket");
  std::array<char, 256> text{};
  for (uint64_t i = 0; i < count; ++i) {
    if (::sendto(sender.get(), text.data(), text.size(), 0, receiver.any(), sizeof(receiver.address)) < 0 ||
        ::recv(receiver.socket.get(), text.data(), text.size(), 0) < 0)
      return system_error(ErrorCode::kIo, "UDP");
  }
  return Status::ok();
}

Status exchange_over_tcp(uint64_t count) {
  Bound listener(SOCK_STREAM);
  const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open || ::listen(listener.socket.get(), 1) != 0 ||
      ::connect(client.get(), listener.any(), sizeof(listener.address)) != 0)
    return system_error(ErrorCode::kIo, "TCP connection");
  const Descriptor server(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  std::array<char, 256> text{};
  for (uint64_t i = 0; i < count; ++i) {
    if (::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL) < 0 ||
        ::recv(server.get(), text.data(), text.size(), MSG_WAITALL) <= 0)
      return system_error(ErrorCode::kIo, "TCP");
  }
  return Status::ok();
}

Status read_from_disk(uint64_t count) {
  constexpr size_t kBlock = 4096;
  constexpr size_t kBlocks = 1024;
  const Result<ScratchDirectory> directory = ScratchDirectory::make({});
  if (!directory) return directory.error();
  const std::string path = directory->path() / "file";
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600));
  if (file.get() < 0) return system_error(ErrorCode::kUnavailable, path);
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kBlock, kBlock), &std::free);
  std::memset(memory.get(), 'x', kBlock);
  const auto at = [](uint64_t i) { return static_cast<off_t>(i % kBlocks * kBlock); };
  for (uint64_t i = 0; i < kBlocks; ++i) {
    if (::pwrite(file.get(), memory.get(), kBlock, at(i)) < 0) return system_error(ErrorCode::kIo, "write");
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (::pread(file.get(), memory.get(), kBlock, at(i)) < 0) return system_error(ErrorCode::kIo, "read");
  }
  return Status::ok();
}

}  // namespace statmill
