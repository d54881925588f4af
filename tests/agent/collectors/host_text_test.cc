// The texts are from real kernels (6.18, 5.10), shortened where they repeat.
#include "agent/collectors/host_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "agent/collectors/nfs_operations.h"
#include "agent/collectors/wrapping_total.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

constexpr std::string_view kConntrack =
    "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop "
    "icmp_error "
    "expect_new expect_create expect_delete search_restart\n"
    "00000003 00000000 00000000 00000000 0000000a 00000000 00000000 00000000 00000000 00000001 00000002 "
    "00000000 "
    "00000000  00000000 00000000 00000000 00000004\n"
    "00000003 00000000 00000000 00000000 00000010 00000000 00000000 00000000 00000000 00000001 000000ff "
    "00000000 "
    "00000000  00000000 00000000 00000000 00000000\n";

TEST(HostText, SumsColumnsOverTheCpus) {
  constexpr std::array<std::string_view, 4> kColumns = {"search_restart", "drop", "none", "invalid"};
  EXPECT_THAT(sums_of_columns(kConntrack, kColumns),
              ElementsAre(Optional(4), Optional(257), std::nullopt, Optional(26)));
  EXPECT_EQ(first_of_column(kConntrack, "entries"), 3U);
}

TEST(HostText, ATableThatLacksTheColumnOrARowOfItHasNoSum) {
  const struct {
    const char* table;
    const char* why;
  } table[] = {{"", "empty"},
               {"drops\n01\n", "another column"},
               {"drop", "no row"},
               {"a drop\n01 02\n03\n", "a row without it"},
               {"drop\n0x1\n", "no number"},
               {"drop\n10000000000000000\n", "more than 64 bits"}};
  constexpr std::string_view kDrop = "drop";
  for (const auto& t : table) {
    EXPECT_THAT(sums_of_columns(t.table, {&kDrop, 1}), ElementsAre(std::nullopt)) << t.why;
  }
  EXPECT_EQ(first_of_column("drop\n", "drop"), std::nullopt);
}

TEST(HostText, ReadsSoftnetWithAndWithoutNumbersOfCpus) {
  const auto cpus = parse_softnet(
      "0000a1b2 00000003 00000004 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000000 "
      "00000000 00000000 00000000\n"
      "ffffffff 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000000 "
      "0000000c 00000000 00000000\n");
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].packets, 0xa1b2U);
  EXPECT_EQ(cpus[0].drops, 3U);
  EXPECT_EQ(cpus[0].squeezes, 4U);
  EXPECT_EQ(cpus[1].cpu, 12U);
  EXPECT_EQ(cpus[1].packets, UINT32_MAX);
  EXPECT_EQ(parse_softnet("1 2 3 0\n4 5 6 0\n").back().cpu, 1U) << "the row";
  EXPECT_THAT(parse_softnet("nonsense\n1 2\n"), IsEmpty());
}

TEST(HostText, CountsArpEntriesByInterface) {
  EXPECT_THAT(
      count_arp_entries("IP address       HW type     Flags       HW address            Mask     Device\n"
                        "192.0.2.1        0x1         0x2         02:fc:00:00:00:05     *        eth0\n"
                        "192.0.2.9        0x1         0x0         00:00:00:00:00:00     *        eth0\n"
                        "198.51.100.1     0x1         0x2         02:fc:00:00:00:06     *        br-1\n"
                        "short 1 2\n"),
      ElementsAre(Pair("br-1", 1), Pair("eth0", 2)));
  EXPECT_THAT(count_arp_entries(""), IsEmpty());
}

TEST(HostText, ReadsNfs) {
  const NfsCounts counts =
      parse_nfs("net 0 0 0 0\nrpc 70 2 71\nproc2 18 1 2\nproc3 4 0 5 6 7\nproc4 3 8 9 10\nnew 1\n");
  EXPECT_EQ(counts.calls, 70U);
  EXPECT_EQ(counts.retransmits, 2U);
  EXPECT_EQ(counts.auth_refreshes, 71U);
  EXPECT_THAT(counts.version_3, ElementsAre(0, 5, 6, 7));
  EXPECT_THAT(counts.version_4, ElementsAre(8, 9, 10));
  EXPECT_THAT(parse_nfs("proc3 4 0 5\n").version_3, IsEmpty()) << "fewer than it says";
  EXPECT_THAT(parse_nfs("proc3 1 x\n").version_3, IsEmpty());
  EXPECT_EQ(parse_nfs("rpc x").calls, std::nullopt);
}

TEST(HostText, KnowsTheOperationsOfNfs) {
  EXPECT_EQ(kNfs3Operations[6], "read");
  EXPECT_EQ(kNfs3Operations.back(), "commit");
  EXPECT_EQ(kNfs4Operations[41], "sequence") << "NFSPROC4_CLNT_SEQUENCE";
  EXPECT_EQ(kNfs4Operations[54], "seek") << "NFSPROC4_CLNT_SEEK";
  EXPECT_EQ(kNfs4Operations[68], "read_plus") << "NFSPROC4_CLNT_READ_PLUS";
}

TEST(HostText, FindsKstatsByTheirWholeName) {
  constexpr std::string_view kArc = "13 1 0x01 3 816 1 2\nname type data\nhits 4 100\nc 4 7\nc_max 4 8\n";
  EXPECT_EQ(find_kstat(kArc, "hits"), 100U);
  EXPECT_EQ(find_kstat(kArc, "c"), 7U);
  EXPECT_EQ(find_kstat(kArc, "c_m"), std::nullopt);
  EXPECT_EQ(find_kstat(kArc, "name"), std::nullopt);
}

TEST(WrappingTotal, GoesOnWhenTheCounterBeginsAgain) {
  WrappingTotal total;
  const uint64_t first = total.advance(UINT32_MAX - 9);
  EXPECT_EQ(total.advance(UINT32_MAX) - first, 9U);
  EXPECT_EQ(total.advance(5) - first, 15U);
  EXPECT_EQ(total.advance(5) - first, 15U);
}

TEST(WrappingTotal, ACounterThatWasResetAddsNothing) {
  WrappingTotal total;
  EXPECT_EQ(total.advance(1000), 1000U);
  EXPECT_EQ(total.advance(3), 1000U);
  EXPECT_EQ(total.advance(7), 1004U);
}

}  // namespace
}  // namespace statmill
