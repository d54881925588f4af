// Compares the scheduler's eBPF programs with the kernel's own statistics, under a load of known size. Needs
// root and BTF.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "agent/collectors/cgroup_tree.h"
#include "bpf/h2.h"
#include "tests/agent/collectors/kernel_test.h"
#include "tests/agent/collectors/own_cgroup.h"

namespace statmill {
namespace {

// Returns the number of context switches of the host, including those of idle tasks.
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

// Runs two threads that wait for each other `rounds` times.
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

class SchedTruthTest : public KernelTest {
 protected:
  void SetUp() override {
    const std::string why = load(load_sched_probe(environment_), make_sched_collector);
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(SchedTruthTest, CountsTheSwitchesThatTheKernelCounts) {
  constexpr int kRounds = 20'000;
  uint64_t own = 0;
  const uint64_t host_before = host_switches();
  RecordingSink grown = growth([&] {
    const uint64_t own_before = own_voluntary_switches();
    ping_pong(kRounds);
    own = own_voluntary_switches() - own_before;
  });
  const uint64_t host = host_switches() - host_before;

  const uint64_t voluntary = grown.totals["host.sched.switches;type=voluntary"];
  const uint64_t all = voluntary + grown.totals["host.sched.switches;type=involuntary"];
  const uint64_t lost = discarded(grown, "switch");
  EXPECT_GE(own, uint64_t{kRounds}) << "the load is too small";
  EXPECT_GE(voluntary, own) << "all switches of the load are counted";
  EXPECT_LE(all, host) << "nothing is counted that did not happen";
  // Each task that leaves a CPU started on it before, except for those running now. A few switches
  // have no tracepoint.
  const uint64_t slack = 100 + host / 100;
  EXPECT_NEAR(static_cast<double>(grown.distributions["host.sched.runqueue_wait_ns"].count()),
              static_cast<double>(all), static_cast<double>(slack + lost));
  EXPECT_NEAR(static_cast<double>(grown.distributions["host.sched.on_cpu_ns"].count()),
              static_cast<double>(all), static_cast<double>(lost) + halves());
  EXPECT_LE(lost, slack);
}

// Between short sleeps a CPU is idle, if the host allows it. Its idle task must not count as a task that
// leaves and returns.
TEST_F(SchedTruthTest, DoesNotCountIdleTasks) {
  RecordingSink grown = growth([] {
    for (int i = 0; i < 300; ++i) {
      const timespec nap{0, 200'000};
      ::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    }
  });
  const uint64_t left = grown.totals["host.sched.switches;type=voluntary"] +
                        grown.totals["host.sched.switches;type=involuntary"];
  const uint64_t came =
      grown.distributions["host.sched.runqueue_wait_ns"].count() + discarded(grown, "switch");
  EXPECT_GE(left, 300U);
  EXPECT_LE(left, came + 50 + came / 100);
}

// A thread that sleeps for a known time is off the CPU for that time, which must be one value in
// the right bucket.
TEST_F(SchedTruthTest, MeasuresHowLongATaskWasOffTheCpu) {
  constexpr int kSleeps = 5;
  constexpr uint64_t kSleepNs = 41'000'000;
  RecordingSink grown = growth([] {
    std::thread sleeper([] {
      for (int i = 0; i < kSleeps; ++i) {
        const timespec nap{0, static_cast<long>(kSleepNs)};
        ::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
      }
    });
    sleeper.join();
  });
  // A busy host may let it wait longer, but it slept at least this long.
  const std::vector<uint64_t>& off = grown.distributions["host.sched.off_cpu_ns;reason=sleep"].counts;
  uint64_t naps = 0;
  for (size_t i = h2_index(kSleepNs); i < off.size(); ++i) naps += off[i];
  EXPECT_GE(naps + discarded(grown, "switch"), uint64_t{kSleeps});
}

// The parent of a child by vfork sleeps where no signal wakes it, until the child ends.
TEST_F(SchedTruthTest, KnowsASleepThatNoSignalEnds) {
  constexpr uint64_t kSleeps = 10;
  constexpr uint64_t kSleepNs = 41'000'000;
  RecordingSink grown = growth([] {
    for (uint64_t i = 0; i < kSleeps; ++i) {
      const pid_t child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
      if (child == 0) {
        const timespec nap{0, static_cast<long>(kSleepNs)};
        ::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, nullptr);
        ::_exit(0);
      }
      EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    }
  });
  const std::vector<uint64_t>& off = grown.distributions["host.sched.off_cpu_ns;reason=disk"].counts;
  uint64_t sleeps = 0;
  for (size_t i = h2_index(kSleepNs); i < off.size(); ++i) sleeps += off[i];
  EXPECT_GE(sleeps + std::min(discarded(grown, "switch"), kSleeps / 2), kSleeps);
}

TEST_F(SchedTruthTest, CountsATaskThatMovesBetweenCpus) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "one CPU";
  constexpr uint64_t kMoves = 100;
  RecordingSink grown = growth([&] {
    size_t cpu = 0;
    for (uint64_t i = 0; i <= kMoves; ++i) {
      do cpu = (cpu + 1) % CPU_SETSIZE;
      while (!CPU_ISSET(cpu, &allowed));
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof(allowed), &allowed), 0);
  });
  EXPECT_GE(grown.totals["host.sched.migrations"], kMoves);
}

// Uses a CPU for 200 ms.
void burn() {
  timespec used{};
  do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  while (used.tv_sec == 0 && used.tv_nsec < 200'000'000);
}

// Two processes that share one CPU and use all of it, for some turns each.
void share_one_cpu(const OwnCgroup& first, const OwnCgroup& second) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  std::thread other([&] { first.run(burn); });
  second.run(burn);
  other.join();
  ASSERT_EQ(::sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}

TEST_F(SchedTruthTest, TellsWhoPreemptsTheTasksOfACgroup) {
  const std::string root = find_cgroup_hierarchy(environment_.cgroup_mount, "cpu").root;
  const OwnCgroup cgroup(root, "a");
  const OwnCgroup neighbor(root, "b");
  if (!cgroup.is_made() || !neighbor.is_made()) GTEST_SKIP() << "cannot create a cgroup";
  const std::string tag = ";cgroup=/" + cgroup.name();
  const auto preemptions = [&](RecordingSink& of, const std::string& by) {
    return of.totals["host.cgroup.preemptions;by=" + by + tag];
  };

  // If tasks of other cgroups want this CPU, too, these may run after each turn.
  RecordingSink together;
  constexpr int kTries = 20;
  for (int i = 0; i < kTries && preemptions(together, "same") < 2; ++i)
    together = growth([&] { share_one_cpu(cgroup, cgroup); });
  EXPECT_GE(preemptions(together, "same"), 2U);
  EXPECT_GE(together.distributions["host.sched.off_cpu_ns;reason=preempted"].count(),
            preemptions(together, "same"));
  EXPECT_GT(together.totals["host.cgroup.runqueue_wait_ns" + tag], 10'000'000U);
  const RecordedDistribution& waits = together.distributions["host.cgroup.runqueue_latency_ns" + tag];
  EXPECT_EQ(waits.sum, together.totals["host.cgroup.runqueue_wait_ns" + tag]);
  EXPECT_GE(waits.count(), preemptions(together, "same"));

  RecordingSink apart;
  for (int i = 0; i < kTries && preemptions(apart, "other") < 2; ++i)
    apart = growth([&] { share_one_cpu(cgroup, neighbor); });
  EXPECT_GE(preemptions(apart, "other"), 2U);
  EXPECT_EQ(preemptions(apart, "same"), 0U);
}

TEST_F(SchedTruthTest, CountsTheSwitchesOfTheTasksOfACgroup) {
  const OwnCgroup cgroup(find_cgroup_hierarchy(environment_.cgroup_mount, "cpu").root);
  if (!cgroup.is_made()) GTEST_SKIP() << "cannot create a cgroup";
  const std::string name = "host.cgroup.switches;cgroup=/" + cgroup.name();
  RecordingSink after = growth([&] { cgroup.run(burn); });
  // A process may be reported as ended before its last switch.
  for (int i = 0; i < 10'000 && after.totals[name] == 0; ++i) {
    ::sched_yield();
    after = read();
  }
  EXPECT_GE(after.totals[name], 1U);
}

}  // namespace
}  // namespace statmill
