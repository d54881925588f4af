// The settings of statmill-agent: defaults, limits, and errors that name the setting.
#include "agent/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/make_collectors.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

Result<AgentCommand> parse(std::vector<const char*> arguments) {
  return parse_agent_command({arguments, {}});
}

TEST(AgentConfig, HasDefaults) {
  const auto command = parse({});
  ASSERT_TRUE(command);
  const AgentConfig& config = command->config;
  ASSERT_EQ(config.outbox.servers.size(), 1U);
  EXPECT_EQ(config.outbox.servers[0].text(), "127.0.0.1:8113");
  EXPECT_EQ(config.outbox.spool_path, "");
  EXPECT_EQ(config.outbox.spool_bytes, size_t{1} << 30);
  EXPECT_EQ(config.interval, Duration(1000));
  EXPECT_EQ(config.host, "") << "main() finds it";
  EXPECT_TRUE(config.tags.empty());
  EXPECT_THAT(config.collectors, ElementsAreArray(default_collector_names()));
  EXPECT_EQ(config.programs_directory, "/run/statmill");
  EXPECT_EQ(config.filesystem_root, "");
  EXPECT_EQ(config.outbox.queue_bytes, size_t{4} << 20);
  EXPECT_FALSE(config.once);
  EXPECT_FALSE(config.relay.is_on()) << "its ports would be the same as those of a server on this host";
  EXPECT_EQ(config.relay.sink.aggregate, Duration(1000));
  EXPECT_EQ(config.relay.sink.bytes_max, size_t{16} << 20);
}

TEST(AgentConfig, AnyPortMakesItARelay) {
  for (const char* option : {"--line.listen", "--graphite.listen", "--statsd.listen", "--line.socket"}) {
    const auto command = parse({option, "127.0.0.1:0", "--relay.aggregate", "0s", "--relay.tags", "dc=eu",
                                "--relay.caret", "web1^", "--relay.bytes", "1M"});
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_TRUE(command->config.relay.is_on()) << option;
    EXPECT_EQ(command->config.relay.sink.names.count(), 2U);
    EXPECT_EQ(command->config.relay.sink.aggregate, Duration(0));
    EXPECT_EQ(command->config.relay.sink.bytes_max, size_t{1} << 20);
  }
}

TEST(AgentConfig, AppliesAllOptions) {
  const auto command =
      parse({"--server", "[::1]:9", "--server", "db:10", "--interval=10s", "--agent.host",
             "web-7.example.org", "--agent.tags", "role=a b,dc=eu", "--collectors", "load,cpu,load",
             "--queue.bytes", "1M", "--programs.dir", "/tmp/cells", "--once", "--log.level", "debug"});
  ASSERT_TRUE(command) << command.error().message;
  const AgentConfig& config = command->config;
  ASSERT_EQ(config.outbox.servers.size(), 2U);
  EXPECT_EQ(config.outbox.servers[0].text(), "[::1]:9");
  EXPECT_EQ(config.outbox.servers[1].text(), "db:10");
  EXPECT_EQ(config.interval, Duration(10'000));
  EXPECT_EQ(host_tags(config.host, config.tags), "dc=eu;host=web-7.example.org;role=a%20b");
  EXPECT_THAT(config.collectors, ElementsAre("load", "cpu"));
  EXPECT_EQ(config.programs_directory, "/tmp/cells");
  EXPECT_EQ(config.outbox.queue_bytes, size_t{1} << 20);
  EXPECT_TRUE(config.once);
  EXPECT_EQ(config.log.level, LogLevel::kDebug);
}

TEST(AgentConfig, ExpandsNamedListsOfCollectors) {
  const auto all = parse({"--collectors", "all"});
  ASSERT_TRUE(all);
  EXPECT_THAT(all->config.collectors, ElementsAreArray(collector_names()));
  const auto more = parse({"--collectors", "psi,default"});
  ASSERT_TRUE(more);
  EXPECT_EQ(more->config.collectors.front(), "psi");
  EXPECT_THAT(more->config.collectors, UnorderedElementsAreArray(default_collector_names()));
}

// The path of a mount follows it, which begins with one.
TEST(AgentConfig, ARootHasNoSlashAtItsEnd) {
  for (const auto& [given, root] : {std::pair{"/host", "/host"}, {"/host//", "/host"}, {"/", ""}}) {
    const auto command = parse({"--filesystem.root", given});
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_EQ(command->config.filesystem_root, root) << given;
  }
}

TEST(AgentConfig, ARingIsOffUnlessItHasALength) {
  EXPECT_FALSE(parse({})->config.hindsight.is_on());
  EXPECT_FALSE(parse({})->config.record.is_on());
  const auto command = parse({"--hindsight", "15m", "--hindsight.fast", "cpu,load", "--hindsight.when",
                              "host.load.tasks > 5", "--hindsight.when", "host.load.tasks < 1"});
  ASSERT_TRUE(command) << command.error().message;
  const HindsightOptions& options = command->config.hindsight;
  EXPECT_TRUE(options.is_on());
  EXPECT_EQ(options.length, std::chrono::minutes(15));
  EXPECT_EQ(options.bytes, size_t{32} << 20);
  EXPECT_EQ(options.files, 8U);
  EXPECT_THAT(options.fast, ElementsAre("cpu", "load"));
  EXPECT_EQ(options.fast_interval, Duration(100));
  ASSERT_EQ(options.when.size(), 2U);
  EXPECT_EQ(options.when[1].text(), "host.load.tasks < 1");
}

TEST(AgentConfig, ATriggerNeedsARing) {
  EXPECT_THAT(parse({"--hindsight.when", "host.load.tasks > 5"}).error().message,
              HasSubstr("hindsight.when needs hindsight"));
}

TEST(AgentConfig, SettingsOfRecordingsWithoutEffectAreRefused) {
  const struct {
    std::vector<const char*> arguments;
    const char* why;  // empty: accepted
  } table[] = {{{"--hindsight.directory", "/a"}, "hindsight.directory needs hindsight"},
               {{"--hindsight.files", "9"}, "hindsight.files needs hindsight"},
               {{"--hindsight.fast", "cpu"}, "hindsight.fast needs hindsight or record"},
               {{"--record.for", "1s"}, "record.for needs record"},
               {{"--record", "a", "--hindsight", "1m"}, "hindsight and record exclude each other"},
               {{"--record", "a", "--hindsight.directory", "/a"}, "hindsight.directory needs hindsight"},
               {{"--record", "a", "--record.for", "1s", "--hindsight.fast", "cpu"}, ""},
               {{"--hindsight", "1m", "--hindsight.fast", "cpu", "--hindsight.directory", "/a"}, ""}};
  for (const auto& t : table) {
    const auto command = parse(t.arguments);
    EXPECT_EQ(command.has_value(), t.why[0] == '\0') << t.why;
    if (!command) {
      EXPECT_EQ(command.error().code, ErrorCode::kInvalid);
      EXPECT_THAT(command.error().message, HasSubstr(t.why));
    }
  }
}

TEST(AgentConfig, ATriggerNeedsACollectorThatServersGet) {
  for (const char* option : {"--interval=1s", "--hindsight.fast=load"})
    EXPECT_THAT(
        parse(
            {"--hindsight", "15m", "--hindsight.when", "host.load.tasks > 5", "--collectors", "cpu", option})
            .error()
            .message,
        HasSubstr("hindsight.when: \"host.load.tasks > 5\" needs the collector load in --collectors"));
}

TEST(AgentConfig, NamesEachRefusedOption) {
  const struct {
    const char* option;
    const char* value;
  } table[] = {{"--server", "nowhere"},     {"--server", "host:0"},        {"--interval", "1ms"},
               {"--interval", "2h"},        {"--interval", "soon"},        {"--agent.host", "a;b"},
               {"--agent.host", "a b"},     {"--agent.host", "Host"},      {"--agent.tags", "host=a"},
               {"--collectors", "cpu,fan"}, {"--collectors", ","},         {"--collectors", ""},
               {"--queue.bytes", "1"},      {"--queue.bytes", "2G"},       {"--log.level", "loud"},
               {"--programs.dir", "run"},   {"--filesystem.root", "host"}, {"--once=maybe", "--once=x"},
               {"--unknown", "x"},          {"--agent.tags", "dc"},        {"--agent.tags", "dc="},
               {"--agent.tags", "a=1,a=2"}, {"--agent.tags", "A=1"},       {"--agent.tags", "a=1,"},
               {"--relay.tags", "dc"},      {"--relay.caret", "a b"},      {"--relay.aggregate", "2m"},
               {"--relay.bytes", "1K"},     {"--relay.threads", "0"},      {"--line.listen", "8111"},
               {"--hindsight", "25h"},      {"--hindsight.bytes", "1K"},   {"--hindsight.files", "0"},
               {"--hindsight.fast", "fan"}, {"--hindsight.when", "a > 1"}, {"--record.for", "soon"}};
  for (const auto& t : table) {
    const auto command = parse({t.option, t.value});
    ASSERT_FALSE(command) << t.option << " " << t.value;
    EXPECT_EQ(command.error().code, ErrorCode::kInvalid) << t.option;
  }
  EXPECT_THAT(parse({"--collectors", "cpu,fan"}).error().message,
              HasSubstr("collectors: \"fan\" is not a collector"));
}

TEST(AgentConfig, HelpNamesEveryOption) {
  for (const char* option : {"--server", "--interval", "--agent.host", "--collectors", "--programs.dir",
                             "--queue.bytes", "--log.level", "--once", "--check", "--help", "--version"}) {
    EXPECT_THAT(agent_help(), HasSubstr(option));
  }
}

}  // namespace
}  // namespace statmill
