// Compares the eBPF programs for processes with child processes of the test. Needs root and BTF.
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

TEST_F(ProcessTruthTest, KeepsTheCpuTimeOfEndedProcesses) {
  uint64_t used = 0;
  RecordingSink grown = growth([&] {
    used = child([] {
      timespec time{};
      do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
      while (time.tv_sec == 0 && time.tv_nsec < 200'000'000);
    });
  });
  // The kernel accounts the time of a running thread at its next tick, so the last 10 ms may be missing.
  EXPECT_GE(grown.totals["host.process.exited_cpu_ns"] + 10'000'000 + used / 10, used);
}

}  // namespace
}  // namespace statmill
