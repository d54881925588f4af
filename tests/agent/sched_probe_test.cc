// The scheduler probe against the kernel's own accounts, under a load of known size. Needs root and BTF.
#include "agent/collectors/sched_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <string>
#include <thread>

namespace statmill {
namespace {

uint64_t sum(const H2Histogram& histogram) {
  return std::accumulate(histogram.begin(), histogram.end(), uint64_t{0});
}

// All context switches of the host, those of idle tasks included.
uint64_t host_switches() {
  std::ifstream stat("/proc/stat");
  std::string key;
  uint64_t value = 0;
  while (stat >> key) {
    if (key == "ctxt" && stat >> value) return value;
  }
  ADD_FAILURE() << "no ctxt in /proc/stat";
  return 0;
}

uint64_t own_voluntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_nvcsw);
}

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  bool put() { return ::write(ends[1], "x", 1) == 1; }
  bool get() {
    char byte;
    return ::read(ends[0], &byte, 1) == 1;
  }
  int ends[2];
};

// Two threads that wait for each other `rounds` times.
void ping_pong(int rounds) {
  Pipe there;
  Pipe back;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      if (!there.get() || !back.put()) return;
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(there.put() && back.get());
  }
  other.join();
}

class SchedProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) GTEST_SKIP() << "no BTF";
    auto probe = load_sched_probe(log_);
    if (!probe && probe.error().message == "built without eBPF") GTEST_SKIP() << probe.error().message;
    if (!probe && probe.error().message.starts_with("permission")) GTEST_SKIP() << probe.error().message;
    ASSERT_TRUE(probe) << probe.error().message;
    probe_ = std::move(*probe);
  }

  Log log_{LogLevel::kDebug};
  std::unique_ptr<SchedProbe> probe_;
};

TEST_F(SchedProbeTest, CountsTheSwitchesThatTheKernelCounts) {
  const uint64_t host_before = host_switches();
  const SchedTotals before = probe_->read();
  const uint64_t own_before = own_voluntary_switches();
  constexpr int kRounds = 20'000;
  ping_pong(kRounds);
  const uint64_t own = own_voluntary_switches() - own_before;
  const SchedTotals after = probe_->read();
  const uint64_t host = host_switches() - host_before;

  const uint64_t voluntary = after.switches_voluntary - before.switches_voluntary;
  const uint64_t involuntary = after.switches_involuntary - before.switches_involuntary;
  const uint64_t waits = sum(after.runqueue_wait) - sum(before.runqueue_wait);
  const uint64_t discarded = after.discarded - before.discarded;
  EXPECT_GE(own, uint64_t{kRounds}) << "the load is not what it should be";
  EXPECT_GE(voluntary, own) << "every switch of ours is in";
  EXPECT_LE(voluntary + involuntary, host) << "and none is made up";
  // Each task that leaves a CPU came to one, but for those there now; a few switches have no tracepoint.
  const uint64_t slack = 100 + host / 100;
  EXPECT_NEAR(static_cast<double>(waits), static_cast<double>(voluntary + involuntary),
              static_cast<double>(slack + discarded));
  EXPECT_NEAR(static_cast<double>(sum(after.on_cpu) - sum(before.on_cpu)),
              static_cast<double>(voluntary + involuntary), static_cast<double>(discarded));
  EXPECT_LE(discarded, slack);
}

// Between short naps a CPU idles, if the host lets it: its idle task is none of those that leave and come.
TEST_F(SchedProbeTest, TakesNoIdleTaskForATask) {
  const SchedTotals before = probe_->read();
  for (int i = 0; i < 300; ++i) {
    const timespec nap{0, 200'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
  }
  const SchedTotals after = probe_->read();
  const uint64_t left = after.switches_voluntary - before.switches_voluntary + after.switches_involuntary -
                        before.switches_involuntary;
  const uint64_t came =
      sum(after.runqueue_wait) - sum(before.runqueue_wait) + after.discarded - before.discarded;
  EXPECT_GE(left, 300U);
  EXPECT_LE(left, came + 50);
}

// A thread that sleeps for a known time is off the CPU for that time: one sample of it, in the right bucket.
TEST_F(SchedProbeTest, MeasuresHowLongATaskWasOffTheCpu) {
  const SchedTotals before = probe_->read();
  constexpr int kSleeps = 5;
  constexpr uint64_t kSleepNs = 41'000'000;
  std::thread sleeper([] {
    for (int i = 0; i < kSleeps; ++i) {
      const timespec nap{0, static_cast<long>(kSleepNs)};
      ::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    }
  });
  sleeper.join();
  const SchedTotals after = probe_->read();
  uint64_t naps = 0;  // up to a third longer: timer slack, a busy host
  for (uint32_t i = h2_index(kSleepNs); i <= h2_index(kSleepNs * 4 / 3); ++i) {
    naps += after.off_cpu[i] - before.off_cpu[i];
  }
  EXPECT_GE(naps, uint64_t{kSleeps});
}

}  // namespace
}  // namespace statmill
