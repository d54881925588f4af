// Compares what the processes collector reports with child processes of the test.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "agent/collectors/processes.h"
#include "base/log.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

constexpr size_t kChildBytes = size_t{64} << 20;
constexpr uint64_t kChildBusyNs = 300'000'000;
constexpr uint64_t kTickNs = 10'000'000;

double own_resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  EXPECT_TRUE(statm >> size >> resident);
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// A child that has kChildBytes of memory, and is killed at the end.
class Child {
 public:
  // The child calls `does` after it has its name and its memory, and then waits. Returns once it waits.
  Child(const char* name, const std::function<void()>& does) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, name);
      void* const memory = ::mmap(nullptr, kChildBytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (memory == MAP_FAILED) ::_exit(1);
      does();
      ::close(ready[0]);
      ::close(ready[1]);
      while (true) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 0);
    ::close(ready[0]);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns the CPU time that it has used, in ns.
  uint64_t cpu_ns() const {
    clockid_t clock{};
    timespec time{};
    EXPECT_EQ(::clock_getcpuclockid(pid_, &clock), 0);
    EXPECT_EQ(::clock_gettime(clock, &time), 0);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  }

  // It ends, but stays until its parent asks for its status.
  void become_zombie() const {
    ::kill(pid_, SIGKILL);
    siginfo_t ended{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT), 0);
  }

 private:
  pid_t pid_ = -1;
};

// Uses this much CPU time since the start of the process.
void be_busy() {
  timespec time{};
  do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  while (time.tv_sec == 0 && static_cast<uint64_t>(time.tv_nsec) < kChildBusyNs);
}

class ProcessesTruthTest : public testing::Test {
 protected:
  RecordingSink collect() {
    RecordingSink sink;
    CollectorStatus status;
    do {
      sink = {};
      status = collector_->collect(sink);
      EXPECT_NE(status.level, CollectorStatus::Level::kUnavailable) << status.reason;
    } while (!sink.kept.empty());
    return sink;
  }

  ManualClock clock_;
  Log log_{LogLevel::kError};
  std::unique_ptr<Collector> collector_ =
      make_processes_collector({.programs_max = 200, .is_each_time = true}, clock_, log_);
};

TEST_F(ProcessesTruthTest, CpuTimeAndMemoryOfAProgramAreThoseOfItsProcesses) {
  collect();
  const Child one("statmill test", be_busy);
  const Child two("statmill test", be_busy);
  const RecordingSink sink = collect();
  const std::string tag = ";program=statmill%20test";
  EXPECT_EQ(sink.gauges.at("host.program.processes" + tag), 2);
  EXPECT_EQ(sink.gauges.at("host.program.threads" + tag), 2);
  EXPECT_GE(sink.gauges.at("host.program.resident_bytes" + tag), 2.0 * kChildBytes * 0.99);
  // A child begins with all pages of this process, which are many with AddressSanitizer.
  EXPECT_LE(sink.gauges.at("host.program.resident_bytes" + tag),
            2 * (static_cast<double>(kChildBytes) * 1.1 + own_resident_bytes()));
  EXPECT_GE(sink.totals.at("host.program.cpu_ns" + tag), 2 * (kChildBusyNs - 2 * kTickNs));
  EXPECT_LE(sink.totals.at("host.program.cpu_ns" + tag), one.cpu_ns() + two.cpu_ns() + 2 * kTickNs);
}

TEST_F(ProcessesTruthTest, AZombieIsInItsStateAndHasNoMemory) {
  const Child child("statmill gone", [] {});
  collect();
  child.become_zombie();
  const RecordingSink after = collect();
  EXPECT_GE(after.gauges.at("host.process.processes;state=zombie"), 1);
  EXPECT_EQ(after.gauges.at("host.program.resident_bytes;program=statmill%20gone"), 0);
  EXPECT_EQ(after.gauges.at("host.program.processes;program=statmill%20gone"), 1);
}

}  // namespace
}  // namespace statmill
