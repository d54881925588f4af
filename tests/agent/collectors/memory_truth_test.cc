// Compares the eBPF programs for memory (reclaim, faults, tlb) and system calls with what the test does.
// Needs root and BTF.
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "agent/collectors/cgroup_tree.h"
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
    const std::string why = load(load_bpf_probe({.subject = "reclaim"}, log_), make_reclaim_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

// The test's own memory cgroup, too small for the process that is moved into it.
class SmallCgroup {
 public:
  explicit SmallCgroup(const CgroupHierarchy& hierarchy)
      : path_(hierarchy.root + "/statmill-test-memory-" + std::to_string(::getpid())) {
    if (hierarchy.root.empty() || ::mkdir(path_.c_str(), 0755) != 0) return;
    is_made_ = true;
    const char* const limit = hierarchy.is_default ? "/memory.max" : "/memory.limit_in_bytes";
    std::ofstream file(path_ + limit);
    is_limited_ = static_cast<bool>(file << (16 << 20) << std::flush);
    std::ofstream(path_ + "/memory.swap.max") << 0;
  }
  ~SmallCgroup() {
    if (is_made_) ::rmdir(path_.c_str());
  }
  bool is_limited() const { return is_limited_; }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool is_made_ = false;
  bool is_limited_ = false;
};

TEST_F(ReclaimTruthTest, CountsOutOfMemoryKills) {
  const SmallCgroup cgroup(find_cgroup_hierarchy(environment_.cgroup_mount, "memory"));
  if (!cgroup.is_limited()) GTEST_SKIP() << "cannot create a memory cgroup";
  int status = 0;
  RecordingSink grown = growth([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      std::ofstream(cgroup.path() + "/cgroup.procs") << ::getpid() << std::endl;
      touch_pages((128 << 20) / kPage);
      ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, &status, 0), child);
  });
  if (WIFEXITED(status)) GTEST_SKIP() << "the kernel swapped instead";
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_GE(grown.totals["reclaim.oom_kills"], 1U);
}

TEST_F(ReclaimTruthTest, TimesCompaction) {
  RecordingSink grown = growth([] { std::ofstream("/proc/sys/vm/compact_memory") << 1 << std::endl; });
  if (::access("/proc/sys/vm/compact_memory", W_OK) != 0) GTEST_SKIP() << "cannot request compaction";
  const RecordedDistribution& compact = grown.distributions["reclaim.compact_ns"];
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
  EXPECT_GE(with_missed(grown, "faults.user"), kPages);
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
    if (name.ends_with(".flushes")) flushes += total;
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
  EXPECT_GE(with_missed(grown, "syscalls.query.count"), kCalls);
  EXPECT_GE(with_missed(grown, "syscalls.file.count"), 100U);
  EXPECT_GE(with_missed(grown, "syscalls.errors"), 100U);
  // One of 16 of all calls on a CPU is timed: so about 1/16 of ours, whatever other calls occur.
  EXPECT_GE(grown.distributions["syscalls.query.latency_ns"].count(), kCalls / 16 / 4);
}

}  // namespace
}  // namespace statmill
