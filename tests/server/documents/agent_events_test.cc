#include "server/documents/agent_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/agents/agent_registry_fixture.h"

namespace statmill {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AgentEventsTest : public AgentRegistryTest {
 protected:
  void watch() {
    watcher_ = std::make_unique<AgentEvents>(*agents_, log_);
    check();
  }
  void check() {
    pass(AgentEvents::kInterval);
    watcher_->tick(now_);
  }
  // Connects again with the boot that is given, and sends a batch with this number.
  void boot(const std::string& host, std::string_view kernel, std::string_view id, Duration uptime,
            uint64_t seq) {
    if (lease_.agent) agents_->close(lease_);
    HelloFrame frame = hello(1);
    frame.host = host;
    frame.kernel = kernel;
    frame.boot_id = id;
    frame.uptime = uptime;
    open(frame);
    EXPECT_EQ(batch(seq, 10 * (seq - 1)), FrameResult::kApplied);
    tick();
  }
  void report(std::vector<CollectorNote> notes) {
    agents_->note_status(lease_, StatusFrame{.collectors = std::move(notes)}, {});
    check();
  }
  Event newest() const { return log_.find({}).events.back(); }
  std::vector<std::string> titles() const {
    std::vector<std::string> out;
    for (const Event& event : log_.find({}).events) out.push_back(event.title);
    return out;
  }
  // Connects an agent of this host, which sends a batch.
  AgentRegistry::Lease connect(uint8_t agent, const std::string& host, std::string_view version = "1.0") {
    HelloFrame frame = hello(agent);
    frame.host = host;
    frame.agent_version = version;
    open(frame);
    return lease_;
  }

  DocumentChanges changes_;
  Registry log_registry_;
  EventLog log_{{}, changes_, log_registry_};
  std::unique_ptr<AgentEvents> watcher_;
};

TEST_F(AgentEventsTest, AnAgentThatIsAwayForAMinuteIsAnEvent) {
  watch();
  connect(1, "web1");
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  tick();
  check();
  agents_->close(lease_);
  check();
  const Timestamp gone = now_.wall;
  pass(AgentEvents::kAway);
  EXPECT_THAT(titles(), IsEmpty());
  check();
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 is away"));
  const EventPage page = log_.find({.where = {"host=web1"}});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].time, gone);
  EXPECT_TRUE(page.events[0].is_own);
  EXPECT_EQ(log_.find({.where = {"host.up;host=web1;role=web"}}).events.size(), 1U);
  EXPECT_THAT(log_.find({.where = {"host=web10"}}).events, IsEmpty());
  connect(1, "web1");
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 is away", "web1 is back"));
}

TEST_F(AgentEventsTest, AShortAbsenceIsNone) {
  watch();
  connect(1, "web1");
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  check();
  agents_->close(lease_);
  for (int i = 0; i < 11; ++i) check();
  connect(1, "web1");
  for (int i = 0; i < 20; ++i) check();
  EXPECT_THAT(titles(), IsEmpty());
}

TEST_F(AgentEventsTest, AfterAStartOfTheServerAgentsComeBackSilently) {
  visit(1);
  restart();
  watch();
  for (int i = 0; i < 20; ++i) check();
  connect(1, "web");
  check();
  EXPECT_THAT(titles(), IsEmpty());
}

TEST_F(AgentEventsTest, LostLinesAreAnEvent) {
  watch();
  connect(1, "web1");
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  const Timestamp before = now_.wall;
  pass(seconds(30));
  EXPECT_EQ(gap(2, 5, 400), FrameResult::kApplied);
  check();
  const EventPage page = log_.find({.tags = {"gap"}});
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].title, "web1 lost 390 lines");
  EXPECT_EQ(page.events[0].text, "spool_full");
  EXPECT_EQ(page.events[0].time, before);
  EXPECT_EQ(page.events[0].until, before + seconds(30));
}

TEST_F(AgentEventsTest, AnotherVersionIsAnEvent) {
  connect(1, "web1", "1.0");
  EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  tick();
  watch();
  agents_->close(lease_);
  connect(1, "web1", "1.1");
  check();
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 has another version"));
  EXPECT_EQ(log_.find({}).events[0].text, "from 1.0 to 1.1");
}

TEST_F(AgentEventsTest, ABootAndAnotherKernelAreEvents) {
  watch();
  boot("web1", "6.1.0", "a", std::chrono::hours(5), 1);
  check();
  boot("web1", "6.1.0", "a", std::chrono::hours(6), 2);  // only the connection is new, and the clock stepped
  check();
  EXPECT_THAT(titles(), IsEmpty());
  boot("web1", "6.1.0", "b", seconds(30), 3);
  const Timestamp booted = now_.wall - seconds(30);
  check();
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 booted"));
  EXPECT_EQ(newest().time, booted);
  EXPECT_EQ(newest().text, "with the kernel 6.1.0");
  EXPECT_THAT(newest().tags, ElementsAre("agent", "boot"));
  boot("web1", "6.1.1", "c", seconds(20), 4);
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 booted", "web1 booted", "web1 has another kernel"));
  EXPECT_EQ(newest().text, "from 6.1.0 to 6.1.1");
  EXPECT_THAT(newest().tags, ElementsAre("agent", "kernel"));
  EXPECT_EQ(log_.find({.where = {"host=web1"}}).events.size(), 3U);
}

TEST_F(AgentEventsTest, ABootWhileTheServerWasDownIsAnEvent) {
  boot("web1", "6.1.0", "a", std::chrono::hours(5), 1);
  lease_ = {};
  restart();
  watch();
  boot("web1", "6.1.0", "b", seconds(30), 2);
  check();
  EXPECT_THAT(titles(), ElementsAre("web1 booted"));
}

TEST_F(AgentEventsTest, AnAgentThatDoesNotSayHasNotBooted) {
  watch();
  boot("web1", "6.1.0", "a", std::chrono::hours(5), 1);
  check();
  boot("web1", {}, {}, {}, 2);  // the agent is older than these fields
  check();
  boot("web1", "6.1.0", "a", std::chrono::hours(5), 3);
  check();
  EXPECT_THAT(titles(), IsEmpty());
}

TEST_F(AgentEventsTest, AnotherSourceOfACollectorIsAnEvent) {
  constexpr uint8_t kBoth = kSourceFiles | kSourceEbpf;
  watch();
  boot("web1", "6.1.0", "a", std::chrono::hours(5), 1);
  report({{"cpu", 0, ""}, {"block", 0, ""}});  // an agent that does not say
  report({{"cpu", 0, "", kSourceFiles}, {"block", 0, "", kBoth}});
  EXPECT_THAT(titles(), IsEmpty());
  report({{"cpu", 0, "", kSourceFiles}, {"block", 1, "eBPF: no BTF", kSourceFiles}});
  ASSERT_THAT(titles(), ElementsAre("web1: block has another source"));
  EXPECT_EQ(newest().text, "block from files and eBPF to files");
  EXPECT_THAT(newest().tags, ElementsAre("agent", "source"));
  // What comes and goes is one event in ten minutes, of what differs then.
  for (int i = 0; i < 50; ++i) {
    report({{"cpu", 2, "gone"}, {"block", 0, "", kBoth}});
    report({{"cpu", 0, "", kSourceFiles}, {"block", 1, "eBPF: no BTF", kSourceFiles}});
  }
  EXPECT_EQ(titles().size(), 1U);
  pass(AgentEvents::kSourcesApart);
  report({{"cpu", 2, "gone"}, {"block", 0, "", kBoth}});
  EXPECT_EQ(newest().title, "web1: 2 collectors have other sources");
  EXPECT_EQ(newest().text, "cpu from files to nothing; block from files to files and eBPF");
}

TEST_F(AgentEventsTest, ManyAgentsTogetherAreOneEvent) {
  watch();
  std::vector<AgentRegistry::Lease> leases;
  std::vector<std::shared_ptr<AgentObserver>> observers;
  for (uint8_t i = 1; i <= 30; ++i) {
    leases.push_back(connect(i, "web" + std::to_string(i)));
    observers.push_back(observer_);
    EXPECT_EQ(batch(1, 0), FrameResult::kApplied);
  }
  check();
  for (const auto& lease : leases) agents_->close(lease);
  check();
  pass(AgentEvents::kAway);
  check();
  EXPECT_THAT(titles(), ElementsAre("30 agents are away"));
  EXPECT_THAT(log_.find({}).events[0].text, HasSubstr("web20 is away; and 10 more"));
}

}  // namespace
}  // namespace statmill
