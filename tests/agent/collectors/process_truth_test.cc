// Compares the eBPF programs for processes with child processes of the test. Needs root and BTF.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/agent/collectors/kernel_test.h"

namespace statmill {
namespace {

class ProcessTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_bpf_probe({.subject = "process"}, log_), make_process_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }

  // Runs a child with the given function and waits for it. Returns the CPU nanoseconds that it used.
  static uint64_t child(void (*does)()) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      does();
      ::_exit(0);
    }
    rusage usage{};
    int status = 0;
    EXPECT_EQ(::wait4(pid, &status, 0, &usage), pid);
    const auto ns_of = [](const timeval& time) {
      return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_usec) * 1000;
    };
    return ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
  }
};

TEST_F(ProcessTruthTest, CountsHowProcessesEnd) {
  constexpr int kEach = 20;
  RecordingSink grown = growth([] {
    for (int i = 0; i < kEach; ++i) {
      child([] {});
      child([] { ::_exit(3); });
      child([] { ::raise(SIGKILL); });
    }
  });
  EXPECT_GE(grown.totals["host.process.exits;result=ok"], uint64_t{kEach});
  EXPECT_GE(grown.totals["host.process.exits;result=failed"], uint64_t{kEach});
  EXPECT_GE(grown.totals["host.process.exits;result=killed"], uint64_t{kEach});
}

TEST_F(ProcessTruthTest, CountsThreadsAndExecsSeparatelyFromProcesses) {
  constexpr uint64_t kThreads = 50;
  RecordingSink grown = growth([] {
    for (uint64_t i = 0; i < kThreads; ++i) std::thread([] {}).join();
    child([] { ::execl("/bin/true", "true", nullptr); });
  });
  EXPECT_GE(grown.totals["host.process.threads_created"], kThreads);
  EXPECT_GE(grown.totals["host.process.execs"], 1U);
}

// A process with much memory uses CPU time after sched_process_exit, to give the memory back.
TEST_F(ProcessTruthTest, KeepsTheCpuTimeOfEndedProcesses) {
  constexpr auto kPatience = std::chrono::seconds(10);
  uint64_t used = 0;
  RecordingSink grown = growth([&] {
    const uint64_t before = read().totals["host.process.exited_cpu_ns"];
    used = child([] {
      constexpr size_t kBytes = 64 << 20;
      if (::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1,
                 0) == MAP_FAILED)
        ::_exit(1);
      timespec time{};
      do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
      while (time.tv_sec == 0 && time.tv_nsec < 200'000'000);
    });
    // The kernel frees a task some milliseconds after its end, when no other CPU can still read it.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (read().totals["host.process.exited_cpu_ns"] < before + used &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  EXPECT_GE(used, 200'000'000U);
  EXPECT_GE(grown.totals["host.process.exited_cpu_ns"], used);
}

}  // namespace
}  // namespace statmill
