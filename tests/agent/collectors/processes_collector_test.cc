// The processes and users collectors, with a directory of fixtures.
#include "agent/collectors/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "agent/batch_builder.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

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

constexpr uint64_t kPages = 1000;  // resident, of each process

struct Fixture {
  std::string name;
  char state = 'S';
  uint64_t cpu = 0;
  uint64_t start = 100;
  bool is_kernel_thread = false;
};

class ProcessesTest : public SysFixture {
 protected:
  ProcessesTest() {
    write_uptime("100.00");
    write_process(1, {.name = "init"});
  }

  void write_uptime(const std::string& seconds) { write("uptime", seconds + " 1.00\n"); }
  void write_process(uint32_t id, const Fixture& process) {
    write(std::to_string(id) + "/stat",
          std::to_string(id) + " (" + process.name + ") " + process.state + " 1 1 1 0 -1 " +
              (process.is_kernel_thread ? "2129984" : "4194560") + " 0 0 0 0 " + std::to_string(process.cpu) +
              " 0 0 0 20 0 3 0 " + std::to_string(process.start) + " 4096 " +
              std::to_string(process.is_kernel_thread ? 0 : kPages) + " 0 0\n");
  }
  std::unique_ptr<Collector> make(size_t processes_max = 100) {
    return make_processes_collector({.root = root_.path().string(), .processes_max = processes_max}, clock_,
                                    log_);
  }
  // Collects until a walk has ended, however busy the machine is; then comes the next slot.
  CollectorStatus collect(Collector& collector, MetricSink& sink) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    sink_ = {};
    CollectorStatus status = collector.collect(sink);
    while (sink_.kept != "" && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
      sink_ = {};
      status = collector.collect(sink);
    }
    clock_.advance(Duration(10'000));
    return status;
  }
  CollectorStatus collect(Collector& collector) { return collect(collector, sink_); }

  static constexpr uint64_t kTickNs = 10'000'000;
};

TEST_F(ProcessesTest, CountsProcessesByStateWithZeros) {
  write_process(2, {.name = "kthreadd", .is_kernel_thread = true});
  write_process(3, {.name = "kworker/0:1", .state = 'I', .is_kernel_thread = true});
  write_process(40, {.name = "a) R 1 (", .state = 'Z'});
  write("self/stat", "1 (not a number) R\n");
  write("sys/stat", "x");
  EXPECT_EQ(collect(*make()), CollectorStatus{});
  const auto state = [&](const char* name) {
    return sink_.gauges.at("host.process.processes;state=" + std::string(name));
  };
  EXPECT_EQ(state("sleeping"), 2);
  EXPECT_EQ(state("idle"), 1);
  EXPECT_EQ(state("zombie"), 1);
  EXPECT_EQ(state("running"), 0);
  EXPECT_EQ(sink_.gauges.at("host.program.processes;program=kernel"), 2);
  EXPECT_EQ(sink_.gauges.at("host.program.threads;program=init"), 3);
  EXPECT_EQ(sink_.gauges.at("host.program.resident_bytes;program=init"),
            static_cast<double>(kPages) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_THAT(sink_.gauges, Contains(Key("host.program.processes;program=a)%20R%201%20(")));
}

TEST_F(ProcessesTest, NamesOfAnyBytesMakeNamesOfSeries) {
  write_process(7, {.name = "\xff\n;~="});
  collect(*make());
  EXPECT_THAT(sink_.gauges, Contains(Key("host.program.processes;program=??%3B~=")));
}

TEST_F(ProcessesTest, CpuTimeIsThatBetweenTwoWalks) {
  const auto processes = make();
  write_process(50, {.name = "web", .cpu = 1000});
  collect(*processes);
  write_uptime("110.00");
  write_process(50, {.name = "web", .cpu = 1007});
  write_process(51, {.name = "web", .cpu = 30, .start = 10'500});
  collect(*processes);
  EXPECT_EQ(sink_.totals.at("host.program.cpu_ns;program=web"), 37 * kTickNs);
  remove("51");
  write_uptime("120.00");
  write_process(50, {.name = "web", .cpu = 3, .start = 11'900});  // the number is another's
  collect(*processes);
  EXPECT_EQ(sink_.totals.at("host.program.cpu_ns;program=web"), 40 * kTickNs);
}

TEST_F(ProcessesTest, AProgramThatGetsAPlaceSendsWhatItUsedSinceTheWalkBefore) {
  const auto processes = make();
  BatchBuilder builder("");
  struct Both final : MetricSink {
    Both(RecordingSink& recording, BatchBuilder& lines) : first(recording), second(lines) {}
    void add_gauge(const HostSeries& s, double v) override { first.add_gauge(s, v), second.add_gauge(s, v); }
    void add_total(const HostSeries& s, uint64_t v) override {
      first.add_total(s, v), second.add_total(s, v);
    }
    void add_distribution(const HostSeries&, const Distribution&) override {}
    void keep(std::string_view p) override { first.keep(p), second.keep(p); }
    void lines(std::string_view) override {}
    RecordingSink& first;
    BatchBuilder& second;
  } both(sink_, builder);
  const auto lines = [&] {
    builder.begin(clock_.wall());
    collect(*processes, both);
    return builder.finish().text;
  };
  EXPECT_THAT(lines(), Not(HasSubstr("cpu_ns")));
  write_uptime("110.00");
  write_process(51, {.name = "cc", .cpu = 30, .start = 10'500});
  EXPECT_THAT(lines(), HasSubstr("*host.program.cpu_ns;program=cc 300000000\n"));
  EXPECT_EQ(builder.resets(), 0U);
}

TEST_F(ProcessesTest, WithoutUptimeAnUnknownProcessBeginsAtZero) {
  const auto processes = make();
  remove("uptime");
  collect(*processes);
  write_process(51, {.name = "web", .cpu = 30, .start = 10'500});
  EXPECT_EQ(collect(*processes), CollectorStatus{});
  EXPECT_THAT(sink_.totals, AllOf(Not(Contains(Key("host.program.cpu_ns;program=web"))),
                                  Contains(Pair("host.program.cpu_ns;program=other", 0))));
}

TEST_F(ProcessesTest, ProcessesBeyondTheLimitAreCounted) {
  for (uint32_t id = 2; id <= 105; ++id) write_process(id, {.name = "web"});
  EXPECT_EQ(collect(*make()), CollectorStatus::degraded("5 processes are beyond --processes.max"));
  EXPECT_EQ(sink_.gauges.at("host.agent.processes_left_out;reason=limit"), 5);
  EXPECT_EQ(sink_.gauges.at("host.program.processes;program=web"), 99);
}

TEST_F(ProcessesTest, AProcessThatEndsMeanwhileIsNoFault) {
  std::filesystem::create_directory(root_.path() / "60");
  EXPECT_EQ(collect(*make()), CollectorStatus{});
  EXPECT_EQ(sink_.gauges.at("host.agent.processes_left_out;reason=unreadable"), 0);
}

TEST_F(ProcessesTest, UnreadableProcessesAreCountedAndTheFirstIsNamed) {
  write("60/stat", "60 (web\n");
  write("61/stat", "");
  const CollectorStatus status = collect(*make());
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_EQ(status.reason,
            "2 processes are not readable: " + root_.path().string() + "/60/stat has an unknown format");
  EXPECT_EQ(sink_.gauges.at("host.agent.processes_left_out;reason=unreadable"), 2);
}

TEST_F(ProcessesTest, HiddenProcessesOfOthersAreNotCountedAsIfTheyWereAll) {
  write_process(70, {.name = "own"});
  const auto processes = make();
  collect(*processes);
  remove("1");
  const CollectorStatus status = collect(*processes);
  EXPECT_EQ(status.level, Level::kUnavailable);
  EXPECT_THAT(status.reason, HasSubstr("hidepid"));
  EXPECT_THAT(sink_.gauges, IsEmpty());
  write_process(1, {.name = "init"});
  write_process(70, {.name = "own", .cpu = 500});
  EXPECT_EQ(collect(*processes), CollectorStatus{});
  EXPECT_EQ(sink_.totals.at("host.program.cpu_ns;program=own"), 0U) << "it begins again after a failed walk";

  std::filesystem::remove_all(root_.path());
  EXPECT_EQ(collect(*processes).level, Level::kUnavailable);
}

TEST_F(ProcessesTest, KeepsItsValuesBetweenWalks) {
  const auto processes = make();
  collect(*processes);
  clock_.advance(Duration(1000));
  const auto [first, second] = values_in_one_slot(*processes);
  EXPECT_EQ(second, first);
  EXPECT_GT(first, 10U);
}

class UsersTest : public ProcessesTest {
 protected:
  void write_session(const std::string& name, const std::string& user, const std::string& session_class) {
    write("run/systemd/sessions/" + name, "UID=" + user + "\nSTATE=active\nCLASS=" + session_class + "\n");
  }
  std::unique_ptr<Collector> make_users() {
    return make_users_collector(root_.path().string(), clock_, log_);
  }
};

TEST_F(UsersTest, CountsSessionsAndThoseWhoHaveThem) {
  write_session("3", "1000", "user");
  write_session("c4", "1000", "user");
  write_session("5", "0", "user");
  write_session("6", "120", "greeter");
  EXPECT_EQ(collect(*make_users()), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.users.logged_in", 2), Pair("host.users.sessions", 3)));
}

TEST_F(UsersTest, NobodyIsZeroAndAHostWithoutSessionsHasNoSeries) {
  const auto users = make_users();
  EXPECT_EQ(collect(*users), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  std::filesystem::create_directories(root_.path() / "run/systemd/sessions");
  EXPECT_EQ(collect(*users), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.users.logged_in", 0), Pair("host.users.sessions", 0)));
}

// The pipe has no writer, so a reader would wait.
TEST_F(UsersTest, DoesNotOpenThePipesOfSessions) {
  write_session("3", "1000", "user");
  ASSERT_EQ(::mkfifo((root_.path() / "run/systemd/sessions/3.ref").c_str(), 0600), 0);
  EXPECT_EQ(collect(*make_users()), CollectorStatus{});
  EXPECT_EQ(sink_.gauges.at("host.users.sessions"), 1);
}

TEST_F(UsersTest, ASessionThatMayNotBeReadMakesItDegraded) {
  write_session("3", "1000", "user");
  std::filesystem::permissions(root_.path() / "run/systemd/sessions/3", std::filesystem::perms::none);
  const auto users = make_users();
  const WithoutFileRights without;  // the thread that reads inherits it
  EXPECT_EQ(collect(*users).level, Level::kDegraded);
}

}  // namespace
}  // namespace statmill
