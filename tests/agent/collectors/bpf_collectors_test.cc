// Collectors with cells of the test: names of devices and interfaces, missing programs, new names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/batch_builder.h"
#include "agent/collectors/bpf_collectors.h"
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
using testing::Not;
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
  known.ops = 3;
  h2_record(&known.latency_ns, 5000);
  banks[1].slots[9] = known;
  banks[1].slots[1].key = block_key(8, 16, BLOCK_READ);
  const auto block = make_block_collector(made(), environment());
  EXPECT_EQ(block->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals,
              AllOf(Contains(Pair("block.dm-0.write.ops", 6)), Contains(Key("block.8_16.read.ops"))));
  EXPECT_EQ(sink_.distributions["block.dm-0.write.latency_ns"].count(), 2U);
}

TEST_F(BpfCollectorsTest, NetNamesInterfacesAndSumsThoseOfOtherNamespaces) {
  const auto banks = make<net_bank>("net_banks");
  banks[0].received.slots[1] = {.ifindex = 1, .packets = 2, .bytes = 300};  // lo has index 1 everywhere
  banks[1].received.slots[1] = {.ifindex = 1, .packets = 1, .bytes = 7};
  banks[1].sent.elsewhere = {.ifindex = 0, .packets = 4, .bytes = 9};
  banks[0].received.slots[2] = {.ifindex = 999'999, .packets = 1, .bytes = 1};
  banks[0].drops[NET_REASONS - 1] = 5;
  banks[0].received.slots_missed = 6;
  const auto net = make_net_collector(made(), environment());
  EXPECT_EQ(net->collect(sink_), CollectorStatus{});
  EXPECT_THAT(
      sink_.totals,
      AllOf(Contains(Pair("net.lo.rx_packets", 3)), Contains(Pair("net.lo.rx_bytes", 307)),
            Contains(Pair("net.other_namespaces.tx_packets", 4)), Contains(Pair("net.drops.others", 5)),
            Contains(Pair("net.drops", 5)), Contains(Pair("net.rx_slots_missed", 6))));
}

TEST_F(BpfCollectorsTest, CountsOfAMissingProgramAreAbsentAndNotZero) {
  make<tcp_bank>("tcp_banks");
  probe_->set_hooks({{"tcp_state", "tp_btf/inet_sock_set_state", ""},
                     {"tcp_send", "tp_btf/sock_send_length", "not in this kernel"}});
  const auto tcp = make_tcp_collector(made(), environment());
  EXPECT_EQ(tcp->collect(sink_), CollectorStatus::degraded("tp_btf/sock_send_length: not in this kernel"));
  EXPECT_THAT(sink_.totals, AllOf(Contains(Key("tcp.bytes_received")), Not(Contains(Key("tcp.bytes_sent")))));
  EXPECT_EQ(sink_.distributions.count("tcp.send_bytes"), 0U);
}

// Tested with the builder, which uses the first total of a name as the start of counting.
TEST_F(BpfCollectorsTest, NewNamesAreReportedFromTheirFirstEvent) {
  const auto banks = make<block_bank>("block_banks");
  const auto block = make_block_collector(made(), environment());
  BatchBuilder builder("h");
  const auto batch = [&] {
    builder.begin(Timestamp(Duration(1'700'000'000'000)));
    block->collect(builder);
    return builder.finish().text;
  };
  banks[0].slots[1].key = block_key(8, 0, BLOCK_READ);
  banks[0].slots[1].ops = 1000;
  EXPECT_EQ(batch(), "") << "its counts may be older than the first interval";
  banks[0].slots[2].key = block_key(8, 0, BLOCK_WRITE);
  banks[0].slots[2].ops = 2;
  h2_record(&banks[0].slots[2].latency_ns, 5);
  const std::string text = batch();
  EXPECT_THAT(text, HasSubstr("*h.block.8_0.write.ops 1700000000 2\n"));
  EXPECT_THAT(text, HasSubstr("%h.block.8_0.write.latency_ns 1700000000 h3 5 5:1\n"));
  EXPECT_THAT(text, HasSubstr("*h.block.8_0.read.ops 1700000000 0\n"));
}

}  // namespace
}  // namespace statmill
