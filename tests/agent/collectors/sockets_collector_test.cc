// The sockets collector with fixtures, and the answers of sock_diag that it reads.
#include "agent/collectors/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using Level = CollectorStatus::Level;

constexpr std::string_view kSockstat =
    "sockets: used 311\n"
    "TCP: inuse 21 orphan 2 tw 7 alloc 30 mem 3\n"
    "UDP: inuse 5 mem 4\n"
    "UDPLITE: inuse 0\n"
    "RAW: inuse 1\n"
    "FRAG: inuse 2 memory 4096\n";
constexpr std::string_view kSockstat6 =
    "TCP6: inuse 9\nUDP6: inuse 3\nUDPLITE6: inuse 0\nRAW6: inuse 0\nFRAG6: inuse 0 memory 0\n";
constexpr std::string_view kSnmp = "Tcp: RtoMin MaxConn CurrEstab\nTcp: 200 -1 17\n";

class SocketsCollectorTest : public testing::Test {
 protected:
  void write(std::string_view file, std::string_view text) { root_.write(file, text); }
  CollectorStatus collect() {
    sink_ = {};
    return collector_->collect(sink_);
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  ManualClock clock_;
  Result<TcpSockets> counted_ = TcpSockets{};
  const std::unique_ptr<Collector> collector_ =
      make_sockets_collector(proc_, clock_, {.count_tcp = [this] { return counted_; }});
  RecordingSink sink_;
};

TEST_F(SocketsCollectorTest, ReportsSocketsAndTheirMemory) {
  write("net/sockstat", kSockstat);
  write("net/sockstat6", kSockstat6);
  write("net/snmp", kSnmp);
  EXPECT_EQ(collect(), CollectorStatus{});
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair("host.sockets.used", 311)), Contains(Pair("host.sockets.tcp_orphans", 2)),
                    Contains(Pair("host.sockets.tcp_allocated", 30)),
                    Contains(Pair("host.sockets.in_use;protocol=tcp;version=ipv4", 21)),
                    Contains(Pair("host.sockets.in_use;protocol=tcp;version=ipv6", 9)),
                    Contains(Pair("host.sockets.in_use;protocol=udp;version=ipv4", 5)),
                    Contains(Pair("host.sockets.in_use;protocol=raw;version=ipv4", 1)),
                    Contains(Pair("host.sockets.memory_bytes;protocol=tcp", 3 * page)),
                    Contains(Pair("host.sockets.memory_bytes;protocol=udp", 4 * page))));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.sockets.fragments;version=ipv4", 2)),
                                  Contains(Pair("host.sockets.fragment_bytes;version=ipv4", 4096)),
                                  Not(Contains(Key("host.sockets.memory_bytes;protocol=raw")))));
}

TEST_F(SocketsCollectorTest, ReportsConnectionsByStateOnceInASlot) {
  write("net/sockstat", kSockstat);
  write("net/snmp", kSnmp);
  counted_->count[kTcpListen] = 4;
  counted_->count[kTcpCloseWait] = 3;
  counted_->waiting = 12;
  counted_->abandoned = 2;
  counted_->fullest_percent = 50;
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.tcp.connections;state=established", 14)),
                                  Contains(Pair("host.tcp.connections;state=close_wait", 3)),
                                  Contains(Pair("host.tcp.connections;state=time_wait", 5)),
                                  Contains(Pair("host.sockets.tcp_time_wait", 7)),
                                  Contains(Pair("host.tcp.connections;state=syn_sent", 0)),
                                  Contains(Pair("host.tcp.connections;state=listen", 4)),
                                  Contains(Pair("host.tcp.listen_queue", 12)),
                                  Contains(Pair("host.tcp.listen_queue_percent", 50))));
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(StartsWith("host.tcp.")))));
  EXPECT_THAT(sink_.gauges, Contains(Key("host.sockets.used")));
  clock_.advance(std::chrono::seconds(10));
  counted_->count[kTcpListen] = 0;
  EXPECT_EQ(collect(), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.tcp.connections;state=listen", 0)),
                                  Not(Contains(Key("host.tcp.listen_queue_percent")))));
}

TEST_F(SocketsCollectorTest, WithoutSockDiagItHasTheTextOnly) {
  write("net/sockstat", kSockstat);
  write("net/snmp", kSnmp);
  counted_ = Error{ErrorCode::kUnavailable, "sock_diag: dump: No such file or directory"};
  EXPECT_EQ(collect(), CollectorStatus::degraded("sock_diag: dump: No such file or directory"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Key("host.sockets.used")),
                                  Not(Contains(Key(StartsWith("host.tcp.connections")))),
                                  Not(Contains(Key("host.tcp.listen_queue")))));
  EXPECT_EQ(collect().level, Level::kDegraded) << "also between two counts";
}

TEST_F(SocketsCollectorTest, DoesNotCountTablesThatAreTooLarge) {
  write("net/sockstat", "TCP: inuse 150000 orphan 0 tw 40000 alloc 1 mem 1\n");
  write("net/sockstat6", "TCP6: inuse 10000\n");
  write("net/snmp", kSnmp);
  EXPECT_EQ(collect(), CollectorStatus{});
  write("net/sockstat6", "TCP6: inuse 10001\n");
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(collect(), CollectorStatus::degraded("more than 200,000 TCP sockets: not counted by state"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.sockets.tcp_time_wait", 40'000)),
                                  Not(Contains(Key(StartsWith("host.tcp.connections"))))));
}

TEST_F(SocketsCollectorTest, IsUnavailableWithoutAnySource) {
  counted_ = Error{ErrorCode::kUnavailable, "sock_diag: no"};
  const CollectorStatus status = collect();
  EXPECT_EQ(status.level, Level::kUnavailable);
  EXPECT_THAT(status.reason, HasSubstr("net/sockstat: No such file"));
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(SocketsCollectorTest, WhatTheTextLacksIsAbsent) {
  write("net/sockstat", "TCP: inuse x orphan\nnonsense\nUDP: mem\n");
  EXPECT_EQ(collect(),
            CollectorStatus::degraded("net/sockstat is not as expected; net/snmp has no CurrEstab"));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key(StartsWith("host.sockets.")))));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key("host.tcp.connections;state=established"))));
}

// An answer of the kernel.
class Answer {
 public:
  Answer& abandoned() {
    inet_diag_msg body{};
    body.idiag_state = 5;
    body.idiag_timer = 3;
    return add(SOCK_DIAG_BY_FAMILY, body);
  }
  Answer& socket(uint8_t state, uint32_t queue = 0, uint32_t limit = 0) {
    inet_diag_msg body{};
    body.idiag_state = state;
    body.idiag_rqueue = queue;
    body.idiag_wqueue = limit;
    return add(SOCK_DIAG_BY_FAMILY, body);
  }
  Answer& done() { return add(NLMSG_DONE, int32_t{0}); }
  Answer& error(int number) {
    nlmsgerr body{};
    body.error = -number;
    return add(NLMSG_ERROR, body);
  }
  template <class Body>
  Answer& add(uint16_t type, const Body& body) {
    nlmsghdr header{};
    header.nlmsg_len = sizeof(header) + sizeof(body);
    header.nlmsg_type = type;
    append(&header, sizeof(header));
    append(&body, sizeof(body));
    bytes.resize(NLMSG_ALIGN(bytes.size()));
    return *this;
  }

  std::vector<std::byte> bytes;

 private:
  void append(const void* data, size_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

TEST(TcpSockets, CountsTheSocketsOfAnAnswer) {
  TcpSockets sockets;
  const Answer first = Answer().socket(10, 3, 7).socket(8).socket(10, 1, 128).socket(3);
  EXPECT_EQ(*add_sockets(first.bytes, sockets), true) << "the answer goes on";
  EXPECT_EQ(*add_sockets(Answer().socket(8).done().socket(8).bytes, sockets), false);
  EXPECT_EQ(sockets.count[kTcpListen], 2U);
  EXPECT_EQ(sockets.count[kTcpCloseWait], 2U);
  EXPECT_EQ(sockets.count[2], 1U);
  EXPECT_EQ(sockets.waiting, 4U);
  EXPECT_EQ(sockets.fullest_percent, 37.5) << "3 of 8";
  EXPECT_EQ(sockets.sockets, 5U);
  add_sockets(Answer().abandoned().bytes, sockets).value();
  EXPECT_EQ(sockets.abandoned, 1U);
  EXPECT_EQ(sockets.count[4], 1U);
  add_sockets(Answer().socket(0).socket(12).socket(255).bytes, sockets).value();
  EXPECT_EQ(sockets.sockets, 9U) << "unknown states are in no count";
}

TEST(TcpSockets, RefusesWhatIsNoAnswer) {
  TcpSockets sockets;
  const auto refused = add_sockets(Answer().error(ENOENT).bytes, sockets);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "sock_diag: dump: No such file or directory");
  const std::vector<std::byte> whole = Answer().socket(10).socket(8).bytes;
  const size_t one = whole.size() / 2;
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto cut = add_sockets(std::span(whole).first(size), sockets);
    EXPECT_EQ(cut.has_value(), size == one) << size;
  }
  for (size_t byte = 0; byte < 6; ++byte) {  // length and type
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> damaged = whole;
      damaged[byte] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NO_FATAL_FAILURE(static_cast<void>(add_sockets(damaged, sockets))) << byte << ", bit " << bit;
    }
  }
  EXPECT_FALSE(add_sockets(Answer().add(99, inet_diag_msg{}).bytes, sockets)) << "another type";
}

}  // namespace
}  // namespace statmill
