// Collectors with cells of the test: names of devices and interfaces, missing programs, new names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/stat.h>

#include <filesystem>

#include "agent/batch_builder.h"
#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/text_and_ebpf.h"
#include "bpf/block.h"
#include "bpf/net.h"
#include "bpf/tcp.h"
#include "tests/agent/collectors/fake_bpf_probe.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Pair;

class BpfCollectorsTest : public testing::Test {
 protected:
  template <class Bank>
  std::span<Bank> make(const std::string& map) {
    auto probe = std::make_unique<FakeBpfProbe>();
    probe_ = probe.get();
    made_ = std::move(probe);
    return probe_->make<Bank>(map);
  }
  LoadedProbe made() { return LoadedProbe(std::move(made_)); }
  BpfEnvironment environment() {
    return {.log = log_, .clock = clock_, .devices = directory_.path().string()};
  }

  Log log_{LogLevel::kError};
  ManualClock clock_;
  const TempDirectory directory_;
  std::unique_ptr<BpfProbe> made_;
  FakeBpfProbe* probe_ = nullptr;
  RecordingSink sink_;
};

TEST_F(BpfCollectorsTest, BlockNamesDevicesByTheirLinks) {
  std::filesystem::create_symlink("../../devices/virtual/block/Dm-0", directory_.path() / "253:0");
  const auto banks = make<block_bank>("block_banks");
  block_slot& known = banks[0].slots[7];
  known.key = block_key(253, 0, BLOCK_WRITE);
  known.errors = 3;
  h2_record(&known.latency_ns, 5000);
  banks[1].slots[9] = known;
  banks[1].slots[1].key = block_key(8, 16, BLOCK_READ);
  const auto block = make_block_ebpf(made(), environment());
  EXPECT_EQ(block->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.block.errors;device=Dm-0;op=write", 6)),
                                  Contains(Key("host.block.errors;device=8:16;op=read"))));
  EXPECT_EQ(sink_.distributions["host.block.latency_ns;device=Dm-0;op=write"].count(), 2U);
}

TEST_F(BpfCollectorsTest, NetSumsOtherNamespacesAndCountsDropsByReason) {
  const auto banks = make<net_bank>("net_banks");
  banks[0].sent = {.packets = 1, .bytes = 2};
  banks[1].sent = {.packets = 4, .bytes = 9};
  banks[1].received = {.packets = 3, .bytes = 7};
  banks[0].drops[NET_REASONS - 1] = 5;
  const auto net = make_net_ebpf(made(), environment());
  EXPECT_EQ(net->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.net.container_packets;direction=transmit", 5)),
                                  Contains(Pair("host.net.container_bytes;direction=transmit", 11)),
                                  Contains(Pair("host.net.container_bytes;direction=receive", 7)),
                                  Contains(Pair("host.net.stack_drops;reason=others", 5))));
}

TEST_F(BpfCollectorsTest, TrafficAndDropsHaveTheNamesOfCgroupsOnHostsWithVersion2) {
  directory_.write("cgroup.controllers", "cpu");
  directory_.write("shop.slice/web/cgroup.procs", "");
  struct stat status {};
  ASSERT_EQ(::stat((directory_.path() / "shop.slice/web").c_str(), &status), 0);
  const BpfEnvironment environment{
      .log = log_, .clock = clock_, .cgroup_mount = directory_.path().string(), .devices = {}};
  const auto tcp_banks = make<tcp_bank>("tcp_banks");
  tcp_banks[0].cgroups[3] = {.id = status.st_ino, .sent_bytes = 10, .received_bytes = 1, .reserved = 0};
  tcp_banks[1].cgroups[4] = {.id = status.st_ino, .sent_bytes = 20, .received_bytes = 2, .reserved = 0};
  tcp_banks[1].cgroups_missed_sending = 5;
  tcp_banks[1].cgroups_missed_receiving = 6;
  EXPECT_EQ(make_inet_ebpf(made(), environment)->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals,
              AllOf(Contains(Pair("host.cgroup.net_bytes;cgroup=/shop.slice/web;direction=transmit", 30)),
                    Contains(Pair("host.cgroup.net_bytes;cgroup=/shop.slice/web;direction=receive", 3)),
                    Contains(Pair("host.agent.ebpf_slots_missed;collector=inet", 11))));

  const auto net_banks = make<net_bank>("net_banks");
  net_banks[0].cgroups[3] = {.id = status.st_ino, .drops = 7};
  net_banks[1].cgroups[4] = {.id = status.st_ino, .drops = 8};
  EXPECT_EQ(make_net_ebpf(made(), environment)->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, Contains(Pair("host.cgroup.net_drops;cgroup=/shop.slice/web", 15)));
}

TEST_F(BpfCollectorsTest, SlotsOfInterfacesThatAreGoneAreReleased) {
  const auto banks = make<net_bank>("net_banks");
  banks[0].xdp[0] = {.id = ::if_nametoindex("lo"),
                     .redirected = 1,
                     .redirects_failed = 2,
                     .aborted = 3,
                     .queue_full = 4,
                     .reserved = {}};
  banks[1].xdp[1] = {
      .id = INT32_MAX, .redirected = 9, .redirects_failed = 9, .aborted = 9, .queue_full = 9, .reserved = {}};
  const auto net = make_net_ebpf(made(), environment());  // it has the banks
  EXPECT_EQ(net->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.net.xdp_redirects;device=lo", 1)),
                                  Contains(Pair("host.net.xdp_drops;device=lo;reason=redirect_failed", 2)),
                                  Contains(Pair("host.net.xdp_drops;device=lo;reason=aborted", 3)),
                                  Contains(Pair("host.net.xdp_drops;device=lo;reason=queue_full", 4))));
  EXPECT_EQ(banks[1].xdp[1].id, 0U);
  EXPECT_EQ(banks[1].xdp[1].aborted, 0U);
}

// Text tells traffic on every kernel; eBPF only has what it cannot tell. So a name never depends on the
// kernel.
TEST_F(BpfCollectorsTest, TextGoesOnWithoutEbpfUnderTheSameNames) {
  directory_.write("net/dev", "h|h\n eth0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
  ProcReader proc(directory_.path().string());
  const auto collect = [&](LoadedProbe probe) {
    sink_ = {};
    return make_text_and_ebpf(make_net_text(proc), make_net_ebpf(std::move(probe), environment()),
                              "host.agent.net_ebpf")
        ->collect(sink_);
  };
  EXPECT_EQ(collect(Error{ErrorCode::kUnavailable, "no BTF"}), CollectorStatus::degraded("eBPF: no BTF"));
  EXPECT_THAT(sink_.totals, Contains(Pair("host.net.bytes;device=eth0;direction=receive", 1)));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.net_ebpf", 0)));
  const size_t by_text = sink_.totals.size();
  make<net_bank>("net_banks");
  EXPECT_EQ(collect(made()), CollectorStatus{});
  EXPECT_THAT(sink_.totals, Contains(Pair("host.net.bytes;device=eth0;direction=receive", 1)));
  EXPECT_GT(sink_.totals.size(), by_text);
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.agent.net_ebpf", 1)));
  ProcReader nothing("/nowhere");
  const auto neither = make_text_and_ebpf(
      make_net_text(nothing), make_net_ebpf(Error{ErrorCode::kUnavailable, "no BTF"}, environment()),
      "host.agent.net_ebpf");
  EXPECT_EQ(neither->collect(sink_).level, CollectorStatus::Level::kUnavailable);
}

TEST_F(BpfCollectorsTest, CountsOfAMissingProgramAreAbsentAndNotZero) {
  make<tcp_bank>("tcp_banks");
  probe_->set_hooks({{"tcp_state", "tp_btf/inet_sock_set_state", ""},
                     {"tcp_send", "tp_btf/sock_send_length", "not in this kernel"}});
  const auto tcp = make_inet_ebpf(made(), environment());
  EXPECT_EQ(tcp->collect(sink_), CollectorStatus::degraded("tp_btf/sock_send_length: not in this kernel"));
  EXPECT_THAT(sink_.totals, Contains(Key("host.tcp.connects_failed")));
  EXPECT_EQ(sink_.distributions.count("host.tcp.receive_bytes"), 1U);
  EXPECT_EQ(sink_.distributions.count("host.tcp.send_bytes"), 0U);
}

// Tested with the builder, which uses the first total of a name as the start of counting.
TEST_F(BpfCollectorsTest, NewNamesAreReportedFromTheirFirstEvent) {
  const auto banks = make<block_bank>("block_banks");
  const auto block = make_block_ebpf(made(), environment());
  BatchBuilder builder("host=h");
  const auto batch = [&] {
    builder.begin(Timestamp(Duration(1'700'000'000'000)));
    block->collect(builder);
    return builder.finish().text;
  };
  banks[0].slots[1].key = block_key(8, 0, BLOCK_READ);
  banks[0].slots[1].errors = 1000;
  EXPECT_EQ(batch(), "") << "its counts may be older than the first interval";
  banks[0].slots[2].key = block_key(8, 0, BLOCK_WRITE);
  banks[0].slots[2].errors = 2;
  h2_record(&banks[0].slots[2].latency_ns, 5);
  const std::string text = batch();
  EXPECT_THAT(text, HasSubstr("*host.block.errors;device=8:0;op=write 2\n"));
  EXPECT_THAT(text, HasSubstr("%host.block.latency_ns;device=8:0;op=write h3 5 5:1\n"));
  EXPECT_THAT(text, HasSubstr("*host.block.errors;device=8:0;op=read 0\n"));
}

}  // namespace
}  // namespace statmill
