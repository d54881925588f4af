// The texts are from real kernels (6.18, 5.10, 4.19), shortened where they repeat.
#include "agent/collectors/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr std::string_view kStat =
    "cpu  3868 7 2512 257406 986 3 86 20 5 0\n"
    "cpu0 1934 7 1256 128703 493 3 43 10 5 0\n"
    "cpu1 1934 0 1256 128703 493 0 43 10 0 0\n"
    "intr 213001 0 0 0\n"
    "ctxt 429579\n"
    "btime 1795200071\n"
    "processes 5388\n"
    "procs_running 3\n"
    "procs_blocked 0\n"
    "softirq 163424 0 17134 4 1234 89795 0 2 31595 0 23660\n";

constexpr std::string_view kDiskstats =
    "   7       0 loop0 11 0 28 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   1       0 ram0 5 0 5 0 5 0 5 0 0 0 0\n"
    " 254       0 vda 69261 26658 3532754 9815 23034 8382 1438008 4420 2 8256 14735 5761 53 189496 448 965 "
    "51\n"
    " 254       1 vda1 69000 26658 3532000 9815 23034 8382 1438008 4420 0 8256 14735\n"
    " 253       0 zram0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 100 0 800 9 50 0 400 4 0 12 14\n"
    " 259       1 nvme0n1p1 90 0 700 9 50 0 400 4 0 12 14\n"
    " 259       2 nvme0n10 1 0 8 9 0 0 0 4 0 12 14\n"
    "   8       0 sda 1 0 2 0 3 0 4 0 0 5 0\n"
    "   8      16 sdaa 1 0 2 0 3 0 4 0 0 5 0\n";

constexpr std::string_view kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier "
    "compressed\n"
    "    lo:    3267      29    0    0    0     0          0         0     3267      29    0    0    0     0 "
    "      0  "
    "        0\n"
    "  eth0: 45640815    1004    1    2    0     0          0         0    46978     586    3    4    0     "
    "0       0 "
    "         0\n"
    "eth0:1:12 13 0 0 0 0 0 0 14 15 0 0 0 0 0 0\n";

TEST(ProcText, FindsNumbersByTitle) {
  constexpr std::string_view kSockstat =
      "sockets: used 11\nTCP: inuse 1 orphan 0 tw x\nTCP6: inuse 5\nUDP inuse 7\n";
  EXPECT_EQ(find_number_of(kSockstat, "TCP", "inuse"), 1U);
  EXPECT_EQ(find_number_of(kSockstat, "TCP6", "inuse"), 5U);
  for (const auto& [title, key] :
       {std::pair("TCP", "tw"), {"TCP", "alloc"}, {"UDP", "inuse"}, {"RAW", "inuse"}, {"", ""}})
    EXPECT_EQ(find_number_of(kSockstat, title, key), std::nullopt) << title << " " << key;
  constexpr std::string_view kSnmp =
      "Ip: Forwarding\nIp: 1\nTcp: RtoMin MaxConn CurrEstab\nTcp: 200 -1 7\nUdp: A B\nUdp: 1\n";
  EXPECT_EQ(find_column(kSnmp, "Tcp", "CurrEstab"), 7U);
  EXPECT_EQ(find_column(kSnmp, "Tcp", "MaxConn"), std::nullopt) << "negative";
  EXPECT_EQ(find_column(kSnmp, "Udp", "B"), std::nullopt);
  EXPECT_EQ(find_column("Tcp: A\nUdp: 1\n", "Tcp", "A"), std::nullopt);
  EXPECT_EQ(find_column("Tcp: A", "Tcp", "A"), std::nullopt);
  EXPECT_EQ(find_node_number("Node 0 MemTotal: 5 kB\nNode 0 MemFree: 3 kB\n", "MemFree"), 3U);
  EXPECT_EQ(find_node_number("MemFree: 3 kB\nNode 0\nNode 0 MemFree 3\n", "MemFree"), std::nullopt);
}

TEST(ProcText, ParsesListsOfNumbers) {
  EXPECT_THAT(parse_number_list("0\n", 9), ElementsAre(0));
  EXPECT_THAT(parse_number_list("0,2-4,7", 9), ElementsAre(0, 2, 3, 4, 7));
  EXPECT_THAT(parse_number_list("0-18446744073709551615", 3), ElementsAre(0, 1, 2));
  for (const char* list : {"", "\n", "x", "1-", "-1", "3-2", "1,1", "2,1", "1-3,2", "1,,2"})
    EXPECT_TRUE(parse_number_list(list, 9).empty()) << list;
}

TEST(ProcText, ParsesStat) {
  const auto stat = parse_proc_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_THAT(stat->all, ElementsAre(3868, 7, 2512, 257406, 986, 3, 86, 20));
  ASSERT_EQ(stat->cpus.size(), 2U);
  EXPECT_EQ(stat->cpus[1].number, 1U);
  EXPECT_THAT(stat->cpus[1].times, ElementsAre(1934, 0, 1256, 128703, 493, 0, 43, 10));
  EXPECT_EQ(stat->context_switches, 429579U);
  EXPECT_EQ(stat->forks, 5388U);
  EXPECT_EQ(stat->boot_time_s, 1795200071U);
  EXPECT_EQ(stat->blocked, 0U);
  EXPECT_EQ(stat->interrupts, 213001U);
  EXPECT_THAT(stat->irqs, ElementsAre(0, 0, 0));
  EXPECT_THAT(stat->softirqs, ElementsAre(0, 17134, 4, 1234, 89795, 0, 2, 31595, 0, 23660));
}

TEST(ProcText, ParsesStatOfOldKernelsAndRefusesInvalidText) {
  const auto old = parse_proc_stat("cpu 1 2 3 4\n");
  ASSERT_TRUE(old);
  EXPECT_THAT(old->all, ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
  EXPECT_FALSE(old->forks);
  for (const std::string_view text : {"", "\n", "cpu", "cpu 1 2 3\n", "cpu0 1 2 3 4\n", "cpu 1 2 3 x 5\n",
                                      "cpu 1 2 3 4 -5\n", "cpu 1 2 3 99999999999999999999\n"}) {
    EXPECT_FALSE(parse_proc_stat(text)) << text;
  }
  const auto damaged = parse_proc_stat("cpu 1 2 3 4\ncpux 1 2 3 4\ncpu1 1 x\nintr 5 6 y\nctxt\nsoftirq\n");
  ASSERT_TRUE(damaged);
  EXPECT_TRUE(damaged->cpus.empty());
  EXPECT_TRUE(damaged->irqs.empty()) << "what cannot be read is absent, not zero";
  EXPECT_FALSE(damaged->context_switches);
}

TEST(ProcText, FindsNumbersByTheirWholeKey) {
  const struct {
    std::string_view text;
    std::string_view key;
    std::optional<uint64_t> want;
  } table[] = {{kStat, "ctxt", 429579},
               {kStat, "processes", 5388},
               {kStat, "procs", std::nullopt},
               {"MemTotal:       24684084 kB\nMemFree: 7 kB", "MemFree", 7},
               {"Cached: 1 kB\nSwapCached: 2 kB\n", "Cached", 1},
               {"SwapCached: 2 kB\nCached: 1 kB\n", "Cached", 1},
               {"pgpgin 5\npgpgin_x 6\n", "pgpgin", 5},
               {"pgpgin_x 6\npgpgin 5\n", "pgpgin", 5},
               {"pgpgin\n", "pgpgin", std::nullopt},
               {"pgpgin -5\n", "pgpgin", std::nullopt},
               {"", "pgpgin", std::nullopt}};
  for (const auto& t : table) EXPECT_EQ(find_number(t.text, t.key), t.want) << t.key << " in " << t.text;
}

TEST(ProcText, ReadsLoadAverages) {
  const auto averages = parse_load_averages("0.74 0.70 1.40 3/190 5388\n");
  ASSERT_TRUE(averages);
  EXPECT_THAT(averages->load, ElementsAre(0.74, 0.70, 1.40));
  EXPECT_EQ(averages->running, 3U);
  EXPECT_EQ(averages->total, 190U);
  for (const std::string_view text :
       {"", "0.1 0.2\n", "0.1 0.2 0.3\n", "0.1 0.2 0.3 4\n", "0.1 nan 0.3 1/2 3\n", "0.1 0.2 0.3 x/2 3\n"}) {
    EXPECT_FALSE(parse_load_averages(text)) << text;
  }
}

TEST(ProcText, ListsWholeDisksThatDidSomething) {
  const auto disks = parse_disks(kDiskstats);
  std::vector<std::string> names;
  for (const Disk& disk : disks) names.emplace_back(disk.name);
  EXPECT_THAT(names, ElementsAre("vda", "nvme0n1", "nvme0n10", "sda", "sdaa"));
  ASSERT_FALSE(disks.empty());
  const Disk& vda = disks.front();
  EXPECT_EQ(vda.reads.operations, 69261U);
  EXPECT_EQ(vda.writes.operations, 23034U);
  EXPECT_EQ(vda.reads.bytes, 3532754U * 512);
  EXPECT_EQ(vda.writes.bytes, 1438008U * 512);
  EXPECT_EQ(vda.reads.time_ms, 9815U);
  ASSERT_TRUE(vda.discards && vda.flushes);
  EXPECT_EQ(vda.discards->operations, 5761U);
  EXPECT_EQ(vda.discards->bytes, 189496U * 512);
  EXPECT_EQ(vda.flushes->operations, 965U);
  EXPECT_EQ(vda.flushes->time_ms, 51U);
  EXPECT_FALSE(disks.back().discards) << "an old kernel";
  EXPECT_EQ(vda.io_ms, 8256U);
  EXPECT_EQ(vda.in_flight, 2U);
}

TEST(ProcText, SkipsDisksItCannotRead) {
  EXPECT_TRUE(
      parse_disks("8 0 sda 1 2 3\n\n8 0\ngarbage\n8 0 sdb 1 0 99999999999999999 0 1 0 1 0 0 0 0\n").empty());
}

TEST(ProcText, ListsInterfacesExceptTheLoopback) {
  const auto interfaces = parse_interfaces(kNetDev);
  ASSERT_EQ(interfaces.size(), 2U);
  EXPECT_EQ(interfaces[0].name, "eth0");
  EXPECT_EQ(interfaces[0].received.bytes, 45640815U);
  EXPECT_EQ(interfaces[0].received.packets, 1004U);
  EXPECT_EQ(interfaces[0].received.errors, 1U);
  EXPECT_EQ(interfaces[0].received.drops, 2U);
  EXPECT_EQ(interfaces[0].transmitted.bytes, 46978U);
  EXPECT_EQ(interfaces[0].transmitted.packets, 586U);
  EXPECT_EQ(interfaces[0].transmitted.errors, 3U);
  EXPECT_EQ(interfaces[0].transmitted.drops, 4U);
  EXPECT_EQ(interfaces[1].name, "eth0:1");
  EXPECT_EQ(interfaces[1].received.bytes, 12U);
}

TEST(ProcText, ParsesPressureAsFarAsPossible) {
  const Pressure both = parse_pressure(
      "some avg10=1.25 avg60=0.05 avg300=0.00 total=12345\nfull avg10=0.50 avg60=0.00 avg300=0.00 "
      "total=99\n");
  EXPECT_EQ(both.some_total_us, 12345U);
  EXPECT_EQ(both.full_total_us, 99U);
  const Pressure old_cpu = parse_pressure("some avg10=1.25 avg60=0.05 avg300=0.00 total=12345\n");
  EXPECT_TRUE(old_cpu.some_total_us);
  EXPECT_FALSE(old_cpu.full_total_us) << "absent is not zero";
  EXPECT_FALSE(parse_pressure("some avg10=1.25 avg60=0.05\n").some_total_us) << "no total";
  EXPECT_FALSE(parse_pressure("some avg10=1 total=x\n").some_total_us);
}

// Damaged text must not do more than remove samples.
TEST(ProcText, SurvivesAnyDamage) {
  EXPECT_TRUE(rc::check([] {
    std::string text(*rc::gen::element(kStat, kDiskstats, kNetDev));
    const int edits = *rc::gen::inRange(1, 20);
    for (int i = 0; i < edits && !text.empty(); ++i) {
      const size_t at = *rc::gen::inRange<size_t>(0, text.size());
      if (*rc::gen::arbitrary<bool>()) {
        text[at] = *rc::gen::element(' ', '\n', ':', '9', 'x', '\0', '/', '=');
      } else {
        text.erase(at);
      }
    }
    parse_proc_stat(text);
    parse_load_averages(text);
    parse_pressure(text);
    find_number(text, "ctxt");
    for (const Disk& disk : parse_disks(text)) RC_ASSERT(!disk.name.empty());
    for (const Interface& interface : parse_interfaces(text)) RC_ASSERT(!interface.name.empty());
  }));
}

}  // namespace
}  // namespace statmill
