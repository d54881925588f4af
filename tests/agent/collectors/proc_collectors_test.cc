// The collectors of /proc text, with a directory of fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/collector.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using Level = CollectorStatus::Level;

class ProcCollectorsTest : public testing::Test {
 protected:
  void write(std::string_view file, std::string_view text) { root_.write(file, text); }
  // Collects once, into sink_.
  CollectorStatus collect(Collector& collector) {
    sink_ = {};
    return collector.collect(sink_);
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  RecordingSink sink_;
};

TEST_F(ProcCollectorsTest, CpuReportsPercentOfTheTimeBetweenReadings) {
  const auto cpu = make_cpu_collector(proc_);
  write("stat", "cpu 100 0 100 1000 10 0 0 0 0 0\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "the first reading gives no sample";
  write("stat", "cpu 150 0 120 1120 20 0 0 0 50 0\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("cpu.busy", 35), Pair("cpu.idle", 60), Pair("cpu.iowait", 5),
                                        Pair("cpu.irq", 0), Pair("cpu.nice", 0), Pair("cpu.softirq", 0),
                                        Pair("cpu.steal", 0), Pair("cpu.system", 10), Pair("cpu.user", 25)));
}

TEST_F(ProcCollectorsTest, CpuIgnoresAModeThatDecreased) {
  const auto cpu = make_cpu_collector(proc_);
  write("stat", "cpu 100 0 100 1000 10 0 0 0\n");
  collect(*cpu);
  write("stat", "cpu 150 0 100 1050 9 0 0 0\n");
  collect(*cpu);
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("cpu.user", 50)), Contains(Pair("cpu.idle", 50)),
                                  Contains(Pair("cpu.busy", 50)), Not(Contains(Key("cpu.iowait")))));
}

TEST_F(ProcCollectorsTest, CpuStartsOverAfterAFailedReading) {
  const auto cpu = make_cpu_collector(proc_);
  write("stat", "cpu 100 0 100 1000\n");
  collect(*cpu);
  write("stat", "nonsense");
  EXPECT_EQ(collect(*cpu).level, Level::kUnavailable);
  write("stat", "cpu 200 0 100 1000\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST_F(ProcCollectorsTest, LoadReportsAveragesAndTasks) {
  write("loadavg", "0.74 0.70 1.40 3/190 5388\n");
  const auto load = make_load_collector(proc_);
  EXPECT_EQ(collect(*load).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("load.15m", 1.4), Pair("load.1m", 0.74), Pair("load.5m", 0.7),
                                        Pair("load.running", 3), Pair("load.total", 190)));
}

TEST_F(ProcCollectorsTest, MemoryReportsBytesAndNamesMissingFields) {
  write("meminfo",
        "MemTotal: 1000 kB\nMemFree: 500 kB\nMemAvailable: 700 kB\nBuffers: 10 kB\nCached: 20 "
        "kB\nSwapCached: 0 kB\n"
        "SwapTotal: 0 kB\nSwapFree: 0 kB\nDirty: 3 kB\n");
  const auto memory = make_memory_collector(proc_);
  EXPECT_EQ(collect(*memory), CollectorStatus::degraded("meminfo lacks Slab"));
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair("memory.free", 512'000)), Contains(Pair("memory.cached", 20'480)),
                    Contains(Pair("memory.swap_total", 0)), Not(Contains(Key("memory.slab")))));
}

TEST_F(ProcCollectorsTest, VmstatReportsTotalsOfBothFiles) {
  write("vmstat", "pgpgin 1\npgpgout 2\npswpin 3\npswpout 4\npgfault 5\npgmajfault 6\noom_kill 7\n");
  write("stat", "cpu 1 1 1 1\nctxt 8\nprocesses 9\n");
  const auto vmstat = make_vmstat_collector(proc_);
  EXPECT_EQ(collect(*vmstat).level, Level::kOk);
  EXPECT_THAT(sink_.totals,
              ElementsAre(Pair("vmstat.ctxt", 8), Pair("vmstat.oom_kill", 7), Pair("vmstat.pgfault", 5),
                          Pair("vmstat.pgmajfault", 6), Pair("vmstat.pgpgin", 1), Pair("vmstat.pgpgout", 2),
                          Pair("vmstat.processes", 9), Pair("vmstat.pswpin", 3), Pair("vmstat.pswpout", 4)));
}

TEST_F(ProcCollectorsTest, VmstatWithoutOneFileIsDegraded) {
  write("stat", "ctxt 8\nprocesses 9\n");
  const auto vmstat = make_vmstat_collector(proc_);
  const CollectorStatus status = collect(*vmstat);
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("/vmstat: No such file"));
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("vmstat.ctxt", 8), Pair("vmstat.processes", 9)));
}

TEST_F(ProcCollectorsTest, DiskReportsTotalsPerDevice) {
  write("diskstats", " 8 0 sda 10 0 20 0 30 0 40 0 6 50 0\n");
  const auto disk = make_disk_collector(proc_);
  EXPECT_EQ(collect(*disk).level, Level::kOk);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("disk.sda.io_ms", 50), Pair("disk.sda.read_bytes", 10'240),
                                        Pair("disk.sda.reads", 10), Pair("disk.sda.write_bytes", 20'480),
                                        Pair("disk.sda.writes", 30)));
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("disk.sda.in_flight", 6)));
}

TEST_F(ProcCollectorsTest, NetworkReportsTotalsPerInterfaceUnderSafeNames) {
  write("net/dev", "h|h\n Eth0.100: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
  const auto network = make_network_collector(proc_);
  EXPECT_EQ(collect(*network).level, Level::kOk);
  EXPECT_THAT(sink_.totals,
              ElementsAre(Pair("network.eth0_100.rx_bytes", 1), Pair("network.eth0_100.rx_drops", 4),
                          Pair("network.eth0_100.rx_errors", 3), Pair("network.eth0_100.rx_packets", 2),
                          Pair("network.eth0_100.tx_bytes", 5), Pair("network.eth0_100.tx_drops", 8),
                          Pair("network.eth0_100.tx_errors", 7), Pair("network.eth0_100.tx_packets", 6)));
}

TEST_F(ProcCollectorsTest, NetworkStopsAtItsLimitAndReportsIt) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "veth" + std::to_string(i) + ": 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n";
  write("net/dev", text);
  const auto network = make_network_collector(proc_);
  EXPECT_EQ(collect(*network).level, Level::kDegraded);
  EXPECT_EQ(sink_.totals.size(), 512U * 8);
}

TEST_F(ProcCollectorsTest, PsiReportsSharesAndTotals) {
  write("pressure/cpu", "some avg10=1.50 avg60=0.00 avg300=0.00 total=7\n");
  const auto psi = make_psi_collector(proc_);
  EXPECT_EQ(collect(*psi).level, Level::kDegraded) << "io and memory are missing";
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("psi.cpu.some_avg10", 1.5)));
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("psi.cpu.some_us", 7)));
}

TEST_F(ProcCollectorsTest, SnmpReadsTheFieldsItKnowsByName) {
  write("net/snmp",
        "Tcp: RtoMin MaxConn CurrEstab RetransSegs OutRsts\nTcp: 200 -1 7 12 13\nUdp: NoPorts\nUdp: 5\n");
  write("net/netstat", "TcpExt: New ListenDrops\nTcpExt: 1 4\n");
  const auto snmp = make_snmp_collector(proc_);
  EXPECT_EQ(collect(*snmp).level, Level::kOk);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("snmp.tcp.outrsts", 13), Pair("snmp.tcp.retranssegs", 12),
                                        Pair("snmp.tcpext.listendrops", 4), Pair("snmp.udp.noports", 5)));
}

TEST_F(ProcCollectorsTest, SnmpSkipsLinesThatDoNotMatch) {
  write("net/snmp", "Tcp: RetransSegs OutRsts\nUdp: 1 2\nTcp: RetransSegs OutRsts\nTcp: 3\nTcp:");
  write("net/netstat", "nonsense");
  const auto snmp = make_snmp_collector(proc_);
  EXPECT_EQ(collect(*snmp).level, Level::kDegraded);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("snmp.tcp.retranssegs", 3)));
}

TEST_F(ProcCollectorsTest, AllAreUnavailableWithoutTheirFilesAndNameTheMissingOnes) {
  for (const auto& make :
       {make_cpu_collector, make_load_collector, make_memory_collector, make_vmstat_collector,
        make_disk_collector, make_network_collector, make_psi_collector, make_snmp_collector}) {
    const auto collector = make(proc_);
    const CollectorStatus status = collect(*collector);
    EXPECT_EQ(status.level, Level::kUnavailable) << collector->name();
    EXPECT_THAT(status.reason, HasSubstr("No such file")) << collector->name();
    EXPECT_THAT(sink_.gauges, IsEmpty()) << collector->name();
    EXPECT_THAT(sink_.totals, IsEmpty()) << collector->name();
  }
}

}  // namespace
}  // namespace statmill
