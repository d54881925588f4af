// Compares the eBPF programs for memory (reclaim, faults, tlb) and system calls with what the test does.
// Needs root and BTF.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "tests/agent/collectors/kernel_test.h"

namespace statmill {
namespace {

constexpr size_t kPage = 4096;

// Maps, touches and unmaps this many pages.
void touch_pages(size_t pages) {
  void* const memory =
      ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  ::munmap(memory, pages * kPage);
}

class ReclaimTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_bpf_probe({.subject = "reclaim"}, log_), make_memory_ebpf);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(ReclaimTruthTest, TimesCompaction) {
  RecordingSink grown = growth([] { std::ofstream("/proc/sys/vm/compact_memory") << 1 << std::endl; });
  if (::access("/proc/sys/vm/compact_memory", W_OK) != 0) GTEST_SKIP() << "cannot request compaction";
  const RecordedDistribution& compact = grown.distributions["host.memory.compaction_ns"];
  EXPECT_GE(compact.count(), 1U);
  EXPECT_GE(compact.sum, compact.count());
}

class FaultsTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_bpf_probe({.subject = "faults"}, log_), make_faults_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(FaultsTruthTest, CountsTheFirstTouchOfEachPage) {
  constexpr size_t kPages = 2000;
  RecordingSink grown = growth([] { touch_pages(kPages); });
  EXPECT_GE(with_missed(grown, "host.faults.exceptions;mode=user"), kPages);
}

class TlbTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_bpf_probe({.subject = "tlb"}, log_), make_tlb_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(TlbTruthTest, CountsTheFlushOfEachUnmapping) {
  constexpr uint64_t kTimes = 200;
  RecordingSink grown = growth([] {
    for (uint64_t i = 0; i < kTimes; ++i) touch_pages(4);
  });
  uint64_t flushes = 0;
  for (const auto& [name, total] : grown.totals) {
    if (name.starts_with("host.tlb.flushes;")) flushes += total;
  }
  EXPECT_GE(flushes, kTimes);
}

class SyscallsTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_syscalls_probe(environment_), make_syscalls_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(SyscallsTruthTest, CountsAllAndTimesSome) {
  constexpr uint64_t kCalls = 32'000;
  RecordingSink grown = growth([] {
    for (uint64_t i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
    for (uint64_t i = 0; i < 100; ++i) ::close(-1);
  });
  EXPECT_GE(with_missed(grown, "host.syscalls.calls;class=query"), kCalls);
  EXPECT_GE(with_missed(grown, "host.syscalls.calls;class=file"), 100U);
  EXPECT_GE(with_missed(grown, "host.syscalls.errors"), 100U);
  // One of 16 of all calls on a CPU is timed: so about 1/16 of ours, whatever other calls occur.
  EXPECT_GE(grown.distributions["host.syscalls.latency_ns;class=query"].count(), kCalls / 16 / 4);
}

}  // namespace
}  // namespace statmill
