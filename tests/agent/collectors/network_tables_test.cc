// The conntrack, neighbor, softnet and nfs collectors, with a directory of fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "tests/agent/collectors/sys_fixture.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using Level = CollectorStatus::Level;

class NetworkTablesTest : public SysFixture {
 protected:
  void write_conntrack(std::string_view first, std::string_view second) {
    write("sys/net/netfilter/nf_conntrack_count", "12\n");
    write("sys/net/netfilter/nf_conntrack_max", "8192\n");
    write("net/stat/nf_conntrack", "entries invalid insert_failed drop early_drop search_restart\n" +
                                       std::string(first) + "\n" + std::string(second) + "\n");
  }
  void write_neighbors(const std::string& table, std::string_view entries) {
    write("net/stat/" + table, "entries res_failed unresolved_discards forced_gc_runs table_fulls\n" +
                                   std::string(entries) + " 1 2 3 4\n" + std::string(entries) +
                                   " 10 0 0 0\n");
  }
};

TEST_F(NetworkTablesTest, ConntrackReportsItsTableAndWhatItDropped) {
  write_conntrack("0c 1 2 3 4 5", "0c 10 0 0 0 0");
  const auto conntrack = make_conntrack_collector(sources());
  EXPECT_EQ(collect(*conntrack), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.conntrack.entries", 12), Pair("host.conntrack.entries_max", 8192)));
  EXPECT_THAT(sink_.totals,
              ElementsAre(Pair("host.conntrack.drops", 3), Pair("host.conntrack.early_drops", 4),
                          Pair("host.conntrack.insert_failures", 2), Pair("host.conntrack.invalid", 17),
                          Pair("host.conntrack.search_restarts", 5)));
}

TEST_F(NetworkTablesTest, ConntrackGoesOnWhenACpusCounterBeginsAgain) {
  write_conntrack("0c fffffff0 0 0 0 0", "0c ffffffff 0 0 0 0");
  const auto conntrack = make_conntrack_collector(sources());
  collect(*conntrack);
  const uint64_t before = sink_.totals["host.conntrack.invalid"];
  write_conntrack("0c 00000010 0 0 0 0", "0c ffffffff 0 0 0 0");
  EXPECT_EQ(collect(*conntrack), CollectorStatus{});
  EXPECT_EQ(sink_.totals["host.conntrack.invalid"] - before, 0x20U);
}

TEST_F(NetworkTablesTest, AHostThatTracksNoConnectionsIsOkAndHasNoSeries) {
  const auto conntrack = make_conntrack_collector(sources());
  EXPECT_EQ(collect(*conntrack), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_THAT(sink_.totals, IsEmpty());
}

TEST_F(NetworkTablesTest, ConntrackWithoutAPartIsDegraded) {
  write_conntrack("0c 1 2 3 4 5", "0c 10 0 0 0 0");
  write("net/stat/nf_conntrack", "entries drop\n1 2\n");
  const auto conntrack = make_conntrack_collector(sources());
  EXPECT_EQ(collect(*conntrack),
            CollectorStatus::degraded("missing: early_drop insert_failed invalid search_restart"));
  remove("net/stat/nf_conntrack");
  const auto other = make_conntrack_collector(sources());
  ProcReader proc(root_.path().string());
  EXPECT_EQ(collect(*make_conntrack_collector({proc, "", clock_, log_})).level, Level::kDegraded);
  EXPECT_EQ(sink_.gauges.size(), 2U);
}

TEST_F(NetworkTablesTest, NeighborReportsBothTablesAndTheArpEntriesOfEachInterface) {
  write_neighbors("arp_cache", "3");
  write_neighbors("ndisc_cache", "a");
  write("net/arp",
        "names\n192.0.2.1 0x1 0x2 02:fc:00:00:00:05 * eth0\n192.0.2.2 0x1 0x0 00:00:00:00:00:00 * eth0\n");
  const auto neighbor = make_neighbor_collector(sources());
  EXPECT_EQ(collect(*neighbor), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.neighbor.arp_entries;device=eth0", 2),
                                        Pair("host.neighbor.entries;family=ipv4", 3),
                                        Pair("host.neighbor.entries;family=ipv6", 10)));
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.neighbor.failures;family=ipv4", 17)),
                                  Contains(Pair("host.neighbor.discards;family=ipv4", 2)),
                                  Contains(Pair("host.neighbor.forced_cleanups;family=ipv6", 3)),
                                  Contains(Pair("host.neighbor.table_fulls;family=ipv6", 4))));
  clock_.advance(Duration(-9'000));
  sink_ = {};
  EXPECT_EQ(neighbor->collect(sink_), CollectorStatus{});
  EXPECT_EQ(sink_.kept, "host.neighbor.") << "not again in the same slot";
}

TEST_F(NetworkTablesTest, NeighborDoesNotReadAHugeTableOfEntries) {
  write_neighbors("arp_cache", "4001");
  write("net/arp", "names\n192.0.2.1 0x1 0x2 02:fc:00:00:00:05 * eth0\n");
  const auto neighbor = make_neighbor_collector(sources());
  const CollectorStatus status = collect(*neighbor);
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("16384"));
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.neighbor.entries;family=ipv4", 0x4001)));
}

TEST_F(NetworkTablesTest, NeighborOfANamespaceHasOnlyItsEntries) {
  write("net/arp", "names\n192.0.2.1 0x1 0x2 02:fc:00:00:00:05 * eth0\n");
  EXPECT_EQ(collect(*make_neighbor_collector(sources())), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.neighbor.arp_entries;device=eth0", 1)));
  EXPECT_THAT(sink_.totals, IsEmpty());
}

TEST_F(NetworkTablesTest, SoftnetReportsEachCpu) {
  const auto softnet = make_softnet_collector(sources());
  write("net/softnet_stat", "fffffff0 1 2 0 0 0 0 0 0 0 0 0 0\n5 0 0 0 0 0 0 0 0 0 0 0 7\n");
  EXPECT_EQ(collect(*softnet), CollectorStatus{});
  EXPECT_THAT(
      sink_.totals,
      ElementsAre(Pair("host.softnet.drops;cpu=0", 1), Pair("host.softnet.drops;cpu=7", 0),
                  Pair("host.softnet.packets;cpu=0", 0xfffffff0U), Pair("host.softnet.packets;cpu=7", 5),
                  Pair("host.softnet.squeezes;cpu=0", 2), Pair("host.softnet.squeezes;cpu=7", 0)));
  write("net/softnet_stat", "10 1 2 0 0 0 0 0 0 0 0 0 0\n5 0 0 0 0 0 0 0 0 0 0 0 400\n");
  EXPECT_EQ(collect(*softnet), CollectorStatus::degraded("only the first 1024 CPUs"));
  EXPECT_EQ(sink_.totals["host.softnet.packets;cpu=0"], 0x1'0000'0010U) << "32 bits in the kernel";
}

TEST_F(NetworkTablesTest, NfsReportsCallsAndTheOperationsThatOccurred) {
  std::string proc4 = "proc4 71";
  for (int i = 0; i < 71; ++i) proc4 += i == 1 ? " 40" : i >= 69 ? " 3" : " 0";
  write("net/rpc/nfs",
        "net 0 0 0 0\nrpc 70 2 71\nproc3 22 0 5 0 0 0 0 6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" + proc4 + "\n");
  const auto nfs = make_nfs_collector(sources());
  EXPECT_EQ(collect(*nfs), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.nfs.auth_refreshes", 71), Pair("host.nfs.calls", 70),
                                        Pair("host.nfs.operations;op=getattr;version=3", 5),
                                        Pair("host.nfs.operations;op=other;version=4", 6),
                                        Pair("host.nfs.operations;op=read;version=3", 6),
                                        Pair("host.nfs.operations;op=read;version=4", 40),
                                        Pair("host.nfs.retransmits", 2)));
}

TEST_F(NetworkTablesTest, AHostWithoutNfsIsOkAndOneWithNonsenseIsUnavailable) {
  const auto nfs = make_nfs_collector(sources());
  EXPECT_EQ(collect(*nfs), CollectorStatus{});
  EXPECT_THAT(sink_.totals, IsEmpty());
  write("net/rpc/nfs", "nonsense\n");
  EXPECT_EQ(collect(*nfs).level, Level::kUnavailable);
}

// The truth: what this host's kernel says at about the same time.
class NetworkTablesTruth : public testing::Test {
 protected:
  static std::string text_of(const char* path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  CollectorStatus collect(std::unique_ptr<Collector> collector) { return collector->collect(sink_); }
  HostSources sources() { return {proc_, "/sys", clock_, log_}; }

  ProcReader proc_{"/proc"};
  SystemClock clock_;
  Log log_{LogLevel::kError};
  RecordingSink sink_;
};

TEST_F(NetworkTablesTruth, ConntrackHasTheLimitOfTheKernel) {
  const std::string max = text_of("/proc/sys/net/netfilter/nf_conntrack_max");
  if (max.empty()) GTEST_SKIP() << "skipped: this kernel tracks no connections";
  EXPECT_EQ(collect(make_conntrack_collector(sources())), CollectorStatus{});
  EXPECT_EQ(sink_.gauges["host.conntrack.entries_max"], std::stod(max));
  EXPECT_LE(sink_.gauges["host.conntrack.entries"], 2 * std::stod(max)) << "a lowered limit removes nothing";
  EXPECT_EQ(sink_.totals.size(), 5U);
}

TEST_F(NetworkTablesTruth, NeighborHasTheEntriesOfEachInterface) {
  const std::string arp = text_of("/proc/net/arp");
  if (arp.empty()) GTEST_SKIP() << "skipped: no /proc/net/arp";
  EXPECT_EQ(collect(make_neighbor_collector(sources())), CollectorStatus{});
  double entries = 0;
  for (const auto& [name, count] : sink_.gauges) {
    if (name.starts_with("host.neighbor.arp_entries;")) entries += count;
  }
  const auto lines = static_cast<double>(std::count(arp.begin(), arp.end(), '\n') - 1);
  EXPECT_NEAR(entries, lines, 1 + lines / 10) << "neighbors come and go";
}

TEST_F(NetworkTablesTruth, SoftnetHasARowPerOnlineCpu) {
  const std::string text = text_of("/proc/net/softnet_stat");
  if (text.empty()) GTEST_SKIP() << "skipped: no /proc/net/softnet_stat";
  EXPECT_EQ(collect(make_softnet_collector(sources())), CollectorStatus{});
  EXPECT_EQ(sink_.totals.size(), 3 * static_cast<size_t>(std::count(text.begin(), text.end(), '\n')));
  EXPECT_THAT(sink_.totals, Contains(Pair("host.softnet.packets;cpu=0",
                                          Ge(std::stoul(text.substr(0, text.find(' ')), nullptr, 16)))));
}

TEST_F(NetworkTablesTruth, NfsHasTheCallsOfTheKernel) {
  const std::string text = text_of("/proc/net/rpc/nfs");
  if (text.empty()) GTEST_SKIP() << "skipped: this kernel has no client of NFS";
  EXPECT_EQ(collect(make_nfs_collector(sources())), CollectorStatus{});
  EXPECT_THAT(sink_.totals, Contains(Key("host.nfs.calls")));
}

}  // namespace
}  // namespace statmill
