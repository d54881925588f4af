// Compares what the eBPF programs count for a cgroup's sockets with the traffic of a process in it. Needs
// root and BTF.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "agent/collectors/cgroup_tree.h"
#include "tests/agent/collectors/kernel_test.h"
#include "tests/agent/collectors/own_cgroup.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

constexpr uint64_t kDatagrams = 400;
constexpr size_t kBytes = 700;

// Sends datagrams to itself and receives them; `receive_buffer` 0 leaves it as it is. Returns how many came.
uint64_t send_to_itself(int receive_buffer) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (receive_buffer != 0) {
    EXPECT_EQ(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer)), 0);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  std::string text(kBytes, 'x');
  uint64_t received = 0;
  for (uint64_t i = 0; i < kDatagrams; ++i) {
    EXPECT_EQ(::send(socket.get(), text.data(), text.size(), 0), ssize_t{kBytes});
    if (receive_buffer != 0) continue;
    EXPECT_EQ(::recv(socket.get(), text.data(), text.size(), 0), ssize_t{kBytes});
    ++received;
  }
  while (::recv(socket.get(), text.data(), text.size(), MSG_DONTWAIT) > 0) ++received;
  return received;
}

class SocketCgroupTruthTest : public KernelTest {
 protected:
  // On a host with both versions, the tree of version 2 is there in `unified`.
  void SetUp() override {
    if (find_socket_cgroups(environment_.cgroup_mount).empty()) environment_.cgroup_mount += "/unified";
    const std::string root = find_socket_cgroups(environment_.cgroup_mount);
    cgroup_.emplace(root);
    if (!cgroup_->is_made()) GTEST_SKIP() << "cannot create a cgroup of version 2";
  }
  std::string series(const std::string& path, const std::string& tags = "") const {
    return path + ";cgroup=/" + cgroup_->name() + tags;
  }

  std::optional<OwnCgroup> cgroup_;
};

TEST_F(SocketCgroupTruthTest, CountsTheBytesOfACgroup) {
  const std::string why = load(load_inet_probe(environment_), make_inet_ebpf);
  if (!why.empty()) GTEST_SKIP() << why;
  if (!has_program(*collector_->probe(), "tcp_send")) GTEST_SKIP() << "Linux before 6.4";
  RecordingSink grown = growth([&] { cgroup_->run([] { EXPECT_EQ(send_to_itself(0), kDatagrams); }); });
  const uint64_t least = (kDatagrams - std::min(kDatagrams, missed(grown))) * kBytes;
  for (const std::string direction : {";direction=transmit", ";direction=receive"}) {
    EXPECT_GE(grown.totals[series("host.cgroup.net_bytes", direction)], least) << direction;
    EXPECT_LE(grown.totals[series("host.cgroup.net_bytes", direction)], kDatagrams * kBytes) << direction;
  }
}

TEST_F(SocketCgroupTruthTest, CountsThePacketsThatACgroupLoses) {
  const std::string why = load(load_net_probe(environment_), make_net_ebpf);
  if (!why.empty()) GTEST_SKIP() << why;
  utsname kernel{};
  int major = 0;
  int minor = 0;
  ASSERT_EQ(::uname(&kernel), 0);
  ASSERT_EQ(std::sscanf(kernel.release, "%d.%d", &major, &minor), 2);
  if (major < 6 || (major == 6 && minor < 11))
    GTEST_SKIP() << "before 6.11 the kernel does not tell the socket";
  RecordingSink grown = growth([&] {
    cgroup_->run([] { EXPECT_LT(send_to_itself(1), kDatagrams / 2); });  // the kernel raises 1 to its minimum
  });
  const uint64_t drops = grown.totals[series("host.cgroup.net_drops")];
  EXPECT_GE(drops + missed(grown), kDatagrams / 2);
  EXPECT_LE(drops, kDatagrams);
}

}  // namespace
}  // namespace statmill
