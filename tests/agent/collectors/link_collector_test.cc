// The link collector, with directories in the form of /sys/class/net.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "tests/agent/collectors/sys_fixture.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using Level = CollectorStatus::Level;

class LinkCollectorTest : public SysFixture {
 protected:
  struct Files {
    std::string_view operstate;
    std::string_view carrier;  // empty: the kernel refuses to answer
    std::string_view speed;
    std::string_view duplex;
  };
  void write_interface(const std::string& device, const Files& files) {
    const std::string folder = "class/net/" + device + "/";
    write(folder + "operstate", files.operstate);
    write(folder + "carrier_changes", "3\n");
    write(folder + "mtu", "1500\n");
    if (!files.carrier.empty()) write(folder + "carrier", files.carrier);
    if (!files.speed.empty()) write(folder + "speed", files.speed);
    if (!files.duplex.empty()) write(folder + "duplex", files.duplex);
  }

  std::unique_ptr<Collector> links_ = make_link_collector(sources());
};

TEST_F(LinkCollectorTest, ReportsALinkWithASpeed) {
  write_interface("eth0", {"up\n", "1\n", "10000\n", "full\n"});
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.net.carrier;device=eth0", 1),
                                        Pair("host.net.full_duplex;device=eth0", 1),
                                        Pair("host.net.mtu_bytes;device=eth0", 1500),
                                        Pair("host.net.speed_bytes_per_second;device=eth0", 1.25e9),
                                        Pair("host.net.up;device=eth0", 1)));
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.net.carrier_changes;device=eth0", 3)));
}

TEST_F(LinkCollectorTest, VirtualInterfacesHaveNoSpeed) {
  const struct {
    const char* device;
    Files files;
  } table[] = {{"br0", {"up\n", "1\n", "", ""}},  // EINVAL
               {"tun0", {"unknown\n", "1\n", "-1\n", "unknown\n"}},
               {"virtio0", {"up\n", "1\n", "4294967295\n", "unknown\n"}},
               {"dummy0", {"up\n", "1\n", "0\n", "unknown\n"}}};
  for (const auto& t : table) write_interface(t.device, t.files);
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  for (const auto& [name, value] : sink_.gauges) {
    EXPECT_FALSE(name.starts_with("host.net.speed") || name.starts_with("host.net.full_duplex")) << name;
  }
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.net.carrier;device=tun0", 1)),
                                  Not(Contains(Key("host.net.up;device=tun0")))))
      << "its driver does not say";
}

TEST_F(LinkCollectorTest, ALinkWithoutACarrierIsDownAndHasNoSpeed) {
  write_interface("eth0", {"down\n", "0\n", "1000\n", "half\n"});
  write_interface("eth1", {"down\n", "", "", ""});  // set down: EINVAL
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  EXPECT_THAT(
      sink_.gauges,
      ElementsAre(Pair("host.net.carrier;device=eth0", 0), Pair("host.net.mtu_bytes;device=eth0", 1500),
                  Pair("host.net.mtu_bytes;device=eth1", 1500), Pair("host.net.up;device=eth0", 0),
                  Pair("host.net.up;device=eth1", 0)));
}

TEST_F(LinkCollectorTest, AHalfDuplexLinkIsZero) {
  write_interface("eth0", {"up\n", "1\n", "10\n", "half\n"});
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  EXPECT_EQ(sink_.gauges["host.net.full_duplex;device=eth0"], 0);
  EXPECT_EQ(sink_.gauges["host.net.speed_bytes_per_second;device=eth0"], 1.25e6);
}

TEST_F(LinkCollectorTest, LeavesOutTheLoopbackAndFilesThatAreNoInterfaces) {
  write_interface("lo", {"unknown\n", "1\n", "", ""});
  write("class/net/bonding_masters", "bond0\n");
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_THAT(sink_.totals, IsEmpty());
}

TEST_F(LinkCollectorTest, ReadsOncePerSlotAndKeepsItsSeriesInBetween) {
  write_interface("eth0", {"up\n", "1\n", "1000\n", "full\n"});
  EXPECT_THAT(values_in_one_slot(*links_), Pair(6, 6));
  sink_ = {};
  EXPECT_EQ(links_->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "the slot is the same";
}

TEST_F(LinkCollectorTest, AnInterfaceThatGoesHasNoMoreSeries) {
  write_interface("eth0", {"up\n", "1\n", "", ""});
  collect(*links_);
  remove("class/net/eth0");
  EXPECT_EQ(collect(*links_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(LinkCollectorTest, StopsAtItsLimitAndReportsIt) {
  for (int i = 0; i < 513; ++i) write("class/net/veth" + std::to_string(i) + "/operstate", "up\n");
  EXPECT_EQ(collect(*links_), CollectorStatus::degraded("only the first 512 interfaces"));
  EXPECT_EQ(sink_.gauges.size(), 512U);
}

TEST_F(LinkCollectorTest, WithoutTheDirectoryItIsUnavailable) {
  EXPECT_EQ(collect(*links_).level, Level::kUnavailable);
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

// The truth: this host's own interfaces, as /proc and /sys have them.
TEST(LinkTruth, HasEachInterfaceOfTheHostWithItsMtu) {
  std::ifstream file("/proc/net/dev");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const SystemClock clock;
  Log log(LogLevel::kError);
  ProcReader proc("/proc");
  const auto links = make_link_collector({proc, "/sys", clock, log});
  RecordingSink sink;
  const CollectorStatus status = links->collect(sink);
  if (status.level == Level::kUnavailable) GTEST_SKIP() << "skipped: " << status.reason;
  size_t interfaces = 0;
  for (size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const size_t begin = text.find_last_of(" \n", colon) + 1;
    const std::string device = text.substr(begin, colon - begin);
    if (device == "lo") continue;
    ++interfaces;
    std::ifstream mtu("/sys/class/net/" + device + "/mtu");
    double bytes = 0;
    mtu >> bytes;
    EXPECT_THAT(sink.gauges, Contains(Pair("host.net.mtu_bytes;device=" + device, bytes)));
    EXPECT_THAT(sink.totals, Contains(Key("host.net.carrier_changes;device=" + device)));
  }
  if (interfaces == 0) GTEST_SKIP() << "skipped: this host has only the loopback";
}

}  // namespace
}  // namespace statmill
