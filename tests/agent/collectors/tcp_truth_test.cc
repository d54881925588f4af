// Compares the eBPF programs for TCP with connections of the test. Needs root and BTF.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "bpf/h2.h"
#include "tests/agent/collectors/kernel_test.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

// A listener on a free port of the loopback interface.
class Listener {
 public:
  Listener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 16), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    address_ = address;
  }
  Descriptor accept() const { return Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  // Stops listening but keeps the port reserved.
  void stop() const { EXPECT_EQ(::shutdown(socket_.get(), SHUT_RDWR), 0); }
  // Connects. Returns 0 or the errno.
  int connect(int socket) const {
    const auto* const address = reinterpret_cast<const sockaddr*>(&address_);
    return ::connect(socket, address, sizeof(address_)) == 0 ? 0 : errno;
  }

 private:
  Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address_{};
};

Descriptor stream() { return Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

class TcpTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_inet_probe(environment_), make_inet_ebpf);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(TcpTruthTest, TimesEveryConnect) {
  constexpr uint64_t kConnects = 200;
  const Listener listener;
  RecordingSink grown = growth([&] {
    for (uint64_t i = 0; i < kConnects; ++i) {
      const Descriptor client = stream();
      ASSERT_EQ(listener.connect(client.get()), 0);
      ASSERT_GE(listener.accept().get(), 0);
    }
  });
  const RecordedDistribution& connects = grown.distributions["host.tcp.connect_ns"];
  const uint64_t lost = missed(grown);
  EXPECT_GE(connects.count() + lost, kConnects);
  EXPECT_GE(grown.totals["host.tcp.states_entered;state=established"] + lost, 2 * kConnects);
  EXPECT_GE(connects.sum, connects.count() * 1000) << "no connection takes less than a microsecond";
}

TEST_F(TcpTruthTest, CountsBytesAndCallsBothWays) {
  constexpr uint64_t kCalls = 300;
  constexpr size_t kBytes = 1000;
  const Listener listener;
  const Descriptor client = stream();
  ASSERT_EQ(listener.connect(client.get()), 0);
  const Descriptor server = listener.accept();
  RecordingSink grown = growth([&] {
    std::string text(kBytes, 'x');
    for (uint64_t i = 0; i < kCalls; ++i) {
      ASSERT_EQ(::send(client.get(), text.data(), text.size(), 0), ssize_t{kBytes});
      ASSERT_EQ(::recv(server.get(), text.data(), text.size(), MSG_PEEK | MSG_WAITALL), ssize_t{kBytes});
      ASSERT_EQ(::recv(server.get(), text.data(), text.size(), MSG_WAITALL), ssize_t{kBytes});
    }
  });
  if (!has_program(*collector_->probe(), "tcp_send")) {  // before Linux 6.4: absent, not 0
    EXPECT_FALSE(grown.distributions.contains("host.tcp.send_bytes"));
    EXPECT_FALSE(grown.distributions.contains("host.tcp.receive_bytes"));
    return;
  }
  const uint64_t lost = missed(grown);
  EXPECT_GE(grown.distributions["host.tcp.send_bytes"].sum + lost * kBytes, kCalls * kBytes);
  EXPECT_GE(grown.distributions["host.tcp.receive_bytes"].sum + lost * kBytes, kCalls * kBytes);
  EXPECT_GE(grown.distributions["host.tcp.send_bytes"].counts[h2_index(kBytes)] + lost, kCalls);
  EXPECT_GE(grown.distributions["host.tcp.receive_bytes"].counts[h2_index(kBytes)] + lost, kCalls);
  EXPECT_GE(grown.distributions["host.tcp.srtt_us"].count(), kCalls / 8 / 4) << "one of 8 acknowledgements";
}

TEST_F(TcpTruthTest, CountsResetsAndConnectsThatFail) {
  constexpr uint64_t kTimes = 20;
  const Listener gone;
  gone.stop();
  const Listener listener;
  RecordingSink grown = growth([&] {
    for (uint64_t i = 0; i < kTimes; ++i) {
      const Descriptor refused = stream();
      ASSERT_EQ(gone.connect(refused.get()), ECONNREFUSED);
      const Descriptor client = stream();
      ASSERT_EQ(listener.connect(client.get()), 0);
      const Descriptor server = listener.accept();
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      ASSERT_EQ(::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
    }
  });
  const uint64_t lost = missed(grown);
  EXPECT_GE(grown.totals["host.tcp.connects_failed"] + lost, kTimes);
  EXPECT_GE(grown.totals["host.tcp.resets_received"] + lost, kTimes);
}

}  // namespace
}  // namespace statmill
