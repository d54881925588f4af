// Compares the eBPF programs for interfaces and interrupts with datagrams of the test. Needs root and BTF.
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/agent/collectors/kernel_test.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

constexpr uint64_t kDatagrams = 500;
constexpr size_t kDatagramBytes = 300;
constexpr size_t kHeaders = 20 + 8;  // IPv4, UDP

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A UDP socket on a free port of the loopback interface.
struct Receiver {
  Receiver() {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  Descriptor socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  uint16_t port = 0;
};

// Returns how many packets all CPUs have handled.
uint64_t handled_packets() {
  std::ifstream file("/proc/net/softnet_stat");
  uint64_t sum = 0;
  for (std::string line; std::getline(file, line);) sum += std::stoull(line, nullptr, 16);
  return sum;
}

// Returns when the kernel has handled all: on a busy CPU it postpones that.
void send_datagrams(uint16_t port) {
  const uint64_t before = handled_packets();
  const Descriptor sender(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = loopback(port);
  const std::string text(kDatagramBytes, 'x');
  for (uint64_t i = 0; i < kDatagrams; ++i) {
    ASSERT_EQ(::sendto(sender.get(), text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                       sizeof(to)),
              static_cast<ssize_t>(kDatagramBytes));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (handled_packets() < before + kDatagrams) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class NetTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_net_probe(environment_), make_net_ebpf);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

// Returns the packets that all interfaces of other namespaces received.
uint64_t container_packets(RecordingSink& grown) {
  return grown.totals["host.net.container_packets;direction=receive"];
}

// Moves the calling thread into a new network namespace, with only a loopback. Returns false if it may not.
bool leave_namespace() {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::snprintf(loopback.ifr_name, sizeof(loopback.ifr_name), "lo");
  loopback.ifr_flags = IFF_UP;
  return ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

TEST_F(NetTruthTest, CountsTheTrafficOfOtherNamespaces) {
  bool has_left = false;
  RecordingSink grown = growth([&] {
    std::thread([&] {
      has_left = leave_namespace();
      if (!has_left) return;
      const Receiver receiver;
      send_datagrams(receiver.port);
    }).join();
  });
  if (!has_left) GTEST_SKIP() << "may not make a network namespace";
  EXPECT_GE(container_packets(grown) + missed(grown), kDatagrams);
  const uint64_t missed_bytes = missed(grown) * (kDatagramBytes + kHeaders);
  EXPECT_GE(grown.totals["host.net.container_bytes;direction=receive"] + missed_bytes,
            kDatagrams * (kDatagramBytes + kHeaders));
}

// Text tells the traffic of this namespace.
TEST_F(NetTruthTest, LeavesOutItsOwnNamespace) {
  const Receiver receiver;
  RecordingSink grown = growth([&] { send_datagrams(receiver.port); });
  EXPECT_LT(container_packets(grown), kDatagrams);
}

// The socket's buffer is full long before the last datagram, so all but a few are dropped.
TEST_F(NetTruthTest, CountsDroppedPacketsByReason) {
  const Receiver receiver;
  const int bytes = 1;  // the kernel raises it to its minimum
  ASSERT_EQ(::setsockopt(receiver.socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
  RecordingSink grown = growth([&] { send_datagrams(receiver.port); });
  EXPECT_GE(with_missed(grown, "host.net.stack_drops;reason=socket_rcvbuff"), kDatagrams / 2);
}

// Runs with typed tracepoints, and with raw ones as on a kernel without BTF.
class InterruptsTruthTest : public KernelTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    const BpfPlan plan{.subject = "interrupts", .is_without_btf = GetParam()};
    const std::string why = load(load_bpf_probe(plan, log_), make_interrupts_collector);
    ASSERT_FALSE(GetParam() && why == "no BTF") << "raw tracepoints need no BTF";
    if (!why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(collector_->probe()->hooks().size(), 4U);
    const bool has_btf = std::filesystem::exists("/sys/kernel/btf/vmlinux");
    if (!GetParam() && !has_btf) GTEST_SKIP() << "no BTF";
    for (const BpfHook& hook : collector_->probe()->hooks())
      EXPECT_TRUE(hook.attach_point.starts_with(GetParam() ? "raw_tp/" : "tp_btf/")) << hook.attach_point;
  }

  // Returns the kernel's own count of a softirq, summed over all CPUs.
  static uint64_t kernel_count(const std::string& vector) {
    std::ifstream file("/proc/softirqs");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      if (name != vector + ":") continue;
      uint64_t sum = 0;
      for (uint64_t count = 0; words >> count;) sum += count;
      return sum;
    }
    ADD_FAILURE() << vector << " is not in /proc/softirqs";
    return 0;
  }
};

TEST_P(InterruptsTruthTest, CountsSoftirqsAsTheKernelDoes) {
  const Receiver receiver;
  uint64_t within = 0;
  uint64_t around = 0;
  RecordingSink grown;
  const bool is_undisturbed = without_process_one([&] {
    const uint64_t before = kernel_count("NET_RX");
    grown = growth([&] {
      const uint64_t first = kernel_count("NET_RX");
      send_datagrams(receiver.port);
      within = kernel_count("NET_RX") - first;
    });
    around = kernel_count("NET_RX") - before;
  });
  if (!is_undisturbed) GTEST_SKIP() << kDisturbed;
  const RecordedDistribution& net_rx = grown.distributions["host.softirq.duration_ns;vector=net_rx"];
  const uint64_t lost = discarded(grown, "softirq") + missed(grown);
  EXPECT_GE(within, 1U) << "the load is too small";
  EXPECT_GE(net_rx.count() + lost + 2, within) << "one on each CPU may not have ended";
  EXPECT_LE(net_rx.count(), around + 2) << "or may have begun before";
  EXPECT_GE(net_rx.sum, net_rx.count() * 100) << "each takes at least 100 ns";
}

INSTANTIATE_TEST_SUITE_P(Of, InterruptsTruthTest, testing::Bool(),
                         [](const auto& of) { return of.param ? "RawTracepoints" : "TypedTracepoints"; });

TEST(BpfProbe, ReportsThatItNeedsBtf) {
  Log log(LogLevel::kError);
  const LoadedProbe probe = load_bpf_probe({.subject = "reclaim", .is_without_btf = true}, log);
  ASSERT_FALSE(probe);
  if (probe.error().message == "built without eBPF") GTEST_SKIP() << probe.error().message;
  EXPECT_EQ(probe.error().message, "no BTF");
}

}  // namespace
}  // namespace statmill
