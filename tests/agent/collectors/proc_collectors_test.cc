// The collectors of /proc text, with a directory of fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST_F(ProcCollectorsTest, CpuReportsTheShareOfBusyTimeBetweenReadings) {
  const auto cpu = make_cpu_collector(proc_);
  write("stat", "cpu 100 0 100 1000 10 0 0 0 0 0\nctxt 1\nprocesses 2\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "the first reading gives no sample";
  write("stat", "cpu 150 0 120 1120 20 0 0 0 50 0\nctxt 1\nprocesses 2\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.cpu.busy_percent", 35)));
  write("stat", "nonsense");
  EXPECT_EQ(collect(*cpu).level, Level::kUnavailable);
  write("stat", "cpu 200 0 100 1000\n");
  EXPECT_EQ(collect(*cpu), CollectorStatus::degraded("stat lacks ctxt processes"));
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "it starts over after a failed reading";
}

TEST_F(ProcCollectorsTest, CpuReportsTheTimeOfEachCpuByMode) {
  const auto cpu = make_cpu_collector(proc_);
  const uint64_t tick = 1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  write("stat", "cpu 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 99\ncpu7 10 0 0 50\nctxt 8\nprocesses 9\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.totals,
              AllOf(Contains(Pair("host.cpu.time_ns;cpu=0;mode=user", tick)),
                    Contains(Pair("host.cpu.time_ns;cpu=0;mode=steal", 8 * tick)),
                    Contains(Pair("host.cpu.time_ns;cpu=7;mode=idle", 50 * tick)),
                    Contains(Pair("host.cpu.context_switches", 8)), Contains(Pair("host.process.forks", 9))));
  EXPECT_EQ(sink_.totals.size(), 18U) << "guest times are in user and nice, and CPUs 1 to 6 are not there";
  write("stat", "cpu 9 9 9 9\ncpu7 10 0 0 49\nctxt 8\nprocesses 9\n");
  collect(*cpu);
  EXPECT_EQ(sink_.totals["host.cpu.time_ns;cpu=7;mode=idle"], 50 * tick) << "idle time may go back a little";
  write("stat", "cpu 9 9 9 9\ncpu7 1000 0 0 0\nctxt 8\nprocesses 9\n");
  collect(*cpu);
  write("stat", "cpu 9 9 9 9\ncpu7 3 0 0 0\nctxt 8\nprocesses 9\n");
  collect(*cpu);
  EXPECT_EQ(sink_.totals["host.cpu.time_ns;cpu=7;mode=user"], 3 * tick) << "but this is a new start";
}

TEST_F(ProcCollectorsTest, CpuReportsInterruptsThatOccurred) {
  const auto cpu = make_cpu_collector(proc_);
  std::string intr = "intr 1000 0 5";
  for (int irq = 2; irq < 70; ++irq) intr += irq == 63 || irq == 69 ? " 4" : " 0";
  write("stat", "cpu 1 1 1 1\n" + intr + "\nctxt 1\nprocesses 2\nsoftirq 9 1 2 0 0 0 0 0 0 0 6\n");
  EXPECT_EQ(collect(*cpu).level, Level::kOk);
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.interrupts.all", 1000)),
                                  Contains(Pair("host.interrupts.count;irq=1", 5)),
                                  Contains(Pair("host.interrupts.count;irq=others", 8)),
                                  Not(Contains(Key("host.interrupts.count;irq=0"))),
                                  Contains(Pair("host.softirq.count;vector=timer", 2)),
                                  Contains(Pair("host.softirq.count;vector=rcu", 6))));
}

TEST_F(ProcCollectorsTest, CpuReportsTheBootAndBlockedTasks) {
  const auto cpu = make_cpu_collector(proc_);
  write("stat", "cpu 1 1 1 1\nctxt 1\nbtime 1795200071\nprocesses 2\nprocs_running 3\nprocs_blocked 4\n");
  EXPECT_EQ(collect(*cpu), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.load.tasks_blocked", 4), Pair("host.system.boot_time_s", 1795200071)));
  write("stat", "cpu 1 1 1 1\nctxt 1\nbtime x\nprocesses 2\n");
  EXPECT_EQ(collect(*cpu), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "absent is never 0";
}

TEST_F(ProcCollectorsTest, LoadReportsAveragesAndTasks) {
  write("loadavg", "0.74 0.70 1.40 3/190 5388\n");
  const auto load = make_load_collector(proc_);
  EXPECT_EQ(collect(*load).level, Level::kOk);
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.load.average_15m", 1.4),
                                        Pair("host.load.average_1m", 0.74), Pair("host.load.average_5m", 0.7),
                                        Pair("host.load.tasks", 190), Pair("host.load.tasks_running", 3)));
}

TEST_F(ProcCollectorsTest, MemoryReportsBytesAndNamesMissingFields) {
  write("meminfo",
        "MemTotal: 1000 kB\nMemFree: 500 kB\nMemAvailable: 700 kB\nBuffers: 10 kB\nCached: 20 "
        "kB\nSwapCached: 0 kB\n"
        "SwapTotal: 0 kB\nSwapFree: 0 kB\nDirty: 3 kB\n");
  write("vmstat",
        "pgpgin 1\npgpgout 2\npswpin 3\npswpout 4\npgfault 5\npgmajfault 6\npgsteal_direct 8\noom_kill 7\n");
  const auto memory = make_memory_text(proc_);
  EXPECT_EQ(collect(*memory), CollectorStatus::degraded("missing: Slab"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.memory.free_bytes", 512'000)),
                                  Contains(Pair("host.memory.cached_bytes", 20'480)),
                                  Contains(Pair("host.memory.swap_total_bytes", 0)),
                                  Not(Contains(Key("host.memory.slab_bytes")))));
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_THAT(
      sink_.totals,
      ElementsAre(Pair("host.memory.direct_reclaimed_pages", 8), Pair("host.memory.major_page_faults", 6),
                  Pair("host.memory.oom_kills", 7), Pair("host.memory.page_faults", 5),
                  Pair("host.memory.paged_in_bytes", 1024), Pair("host.memory.paged_out_bytes", 2048),
                  Pair("host.memory.swapped_in_bytes", 3 * page),
                  Pair("host.memory.swapped_out_bytes", 4 * page)));
}

TEST_F(ProcCollectorsTest, MemoryReportsWhatTheKernelHasBeyondThat) {
  write("meminfo",
        "MemTotal: 1 kB\nMemFree: 1 kB\nMemAvailable: 1 kB\nBuffers: 1 kB\nCached: 1 kB\nSwapTotal: 1 kB\n"
        "SwapFree: 1 kB\nDirty: 1 kB\nSlab: 1 kB\nActive: 9 kB\nActive(anon): 5 kB\nSReclaimable: 7 kB\n"
        "Committed_AS: 99999999999 kB\nHugePages_Total: 12\nHugePages_Free: x\nHugepagesize: 2048 kB\n"
        "DirectMap4k: 3 kB\nWriteback:\nMapped 4 kB\n");
  write("vmstat",
        "pgpgin 1\npgpgout 2\npswpin 3\npswpout 4\npgfault 5\npgmajfault 6\npgsteal_direct 8\noom_kill 7\n");
  const auto memory = make_memory_text(proc_);
  EXPECT_EQ(collect(*memory), CollectorStatus{}) << "kernels may lack the rest";
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.memory.active_bytes", 9216)),
                                  Contains(Pair("host.memory.active_anon_bytes", 5120)),
                                  Contains(Pair("host.memory.slab_reclaimable_bytes", 7168)),
                                  Contains(Pair("host.memory.committed_bytes", 99'999'999'999.0 * 1024)),
                                  Contains(Pair("host.memory.huge_pages", 12)),
                                  Contains(Pair("host.memory.huge_page_size_bytes", 2'097'152))));
  EXPECT_EQ(sink_.gauges.size(), 15U) << "absent is never 0";
}

TEST_F(ProcCollectorsTest, MemoryWithoutOneFileIsDegraded) {
  write("vmstat", "pgfault 8\n");
  const auto memory = make_memory_text(proc_);
  const CollectorStatus status = collect(*memory);
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("/meminfo: No such file"));
  EXPECT_THAT(status.reason, HasSubstr(" pgsteal_direct oom_kill"));
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.memory.page_faults", 8)));
}

TEST_F(ProcCollectorsTest, BlockReportsTotalsPerDeviceAndOperation) {
  write("diskstats",
        " 8 0 sda 10 0 20 3 30 0 40 4 6 50 0 1 0 8 2 7 9\n 8 16 cciss/c0d0 1 0 2 0 3 0 4 0 0 5 0\n");
  const auto block = make_block_text(proc_);
  EXPECT_EQ(collect(*block).level, Level::kOk);
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.block.busy_ns;device=sda", 50'000'000)),
                                  Contains(Pair("host.block.bytes;device=sda;op=read", 10'240)),
                                  Contains(Pair("host.block.bytes;device=sda;op=write", 20'480)),
                                  Contains(Pair("host.block.bytes;device=sda;op=discard", 4'096)),
                                  Contains(Pair("host.block.operations;device=sda;op=read", 10)),
                                  Contains(Pair("host.block.operations;device=sda;op=write", 30)),
                                  Contains(Pair("host.block.operations;device=sda;op=discard", 1)),
                                  Contains(Pair("host.block.operations;device=sda;op=flush", 7)),
                                  Contains(Pair("host.block.time_ns;device=sda;op=read", 3'000'000)),
                                  Contains(Pair("host.block.time_ns;device=sda;op=flush", 9'000'000)),
                                  Contains(Pair("host.block.operations;device=cciss/c0d0;op=write", 3))));
  EXPECT_THAT(sink_.totals, AllOf(Not(Contains(Key("host.block.bytes;device=sda;op=flush"))),
                                  Not(Contains(Key("host.block.operations;device=cciss/c0d0;op=flush")))));
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.block.in_flight;device=sda", 6)));
}

TEST_F(ProcCollectorsTest, NetReportsTotalsPerInterfaceAndDirectionUnderItsOwnName) {
  write("net/dev",
        "h|h\n Eth0.100: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n a;b: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n");
  const auto net = make_net_text(proc_);
  EXPECT_EQ(collect(*net).level, Level::kOk);
  EXPECT_THAT(sink_.totals, AllOf(Contains(Pair("host.net.bytes;device=Eth0.100;direction=receive", 1)),
                                  Contains(Pair("host.net.packets;device=Eth0.100;direction=receive", 2)),
                                  Contains(Pair("host.net.errors;device=Eth0.100;direction=receive", 3)),
                                  Contains(Pair("host.net.drops;device=Eth0.100;direction=receive", 4)),
                                  Contains(Pair("host.net.bytes;device=Eth0.100;direction=transmit", 5)),
                                  Contains(Pair("host.net.drops;device=Eth0.100;direction=transmit", 8)),
                                  Contains(Key("host.net.bytes;device=a%3Bb;direction=receive"))));
  EXPECT_EQ(sink_.totals.size(), 16U);
}

TEST_F(ProcCollectorsTest, NetStopsAtItsLimitAndReportsIt) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "veth" + std::to_string(i) + ": 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n";
  write("net/dev", text);
  const auto net = make_net_text(proc_);
  EXPECT_EQ(collect(*net).level, Level::kDegraded);
  EXPECT_EQ(sink_.totals.size(), 512U * 8);
}

TEST_F(ProcCollectorsTest, PsiReportsTotals) {
  write("pressure/cpu", "some avg10=1.50 avg60=0.00 avg300=0.00 total=7\n");
  const auto psi = make_psi_collector(proc_);
  EXPECT_EQ(collect(*psi).level, Level::kDegraded) << "io and memory are missing";
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.psi.stalled_ns;resource=cpu;type=some", 7'000)));
}

TEST_F(ProcCollectorsTest, InetReadsTheFieldsItKnowsByName) {
  write("net/snmp",
        "Tcp: RtoMin MaxConn CurrEstab RetransSegs OutRsts\nTcp: 200 -1 7 12 13\nUdp: NoPorts\nUdp: 5\n");
  write("net/netstat", "TcpExt: New ListenDrops\nTcpExt: 1 4\n");
  const auto inet = make_inet_text(proc_);
  EXPECT_EQ(collect(*inet).level, Level::kOk);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.tcp.listen_drops", 4), Pair("host.tcp.resets_sent", 13),
                                        Pair("host.tcp.retransmits", 12), Pair("host.udp.no_ports", 5)));
}

TEST_F(ProcCollectorsTest, InetSkipsLinesThatDoNotMatch) {
  write("net/snmp", "Tcp: RetransSegs OutRsts\nUdp: 1 2\nTcp: RetransSegs OutRsts\nTcp: 3\nTcp:");
  write("net/netstat", "nonsense");
  const auto inet = make_inet_text(proc_);
  EXPECT_EQ(collect(*inet).level, Level::kDegraded);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.tcp.retransmits", 3)));
}

TEST_F(ProcCollectorsTest, AllAreUnavailableWithoutTheirFilesAndNameTheMissingOnes) {
  for (const auto& make : {make_cpu_collector, make_load_collector, make_memory_text, make_block_text,
                           make_net_text, make_psi_collector, make_inet_text}) {
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
