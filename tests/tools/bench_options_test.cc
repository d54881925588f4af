// The command line of statmill-bench.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

using testing::HasSubstr;

Result<BenchOptions> parse(const std::vector<std::string>& arguments) {
  return parse_bench_options(arguments);
}
Result<IngestOptions> parse_ingest(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_ingest());
  return values ? ingest_options(*values) : values.error();
}
Result<StorageOptions> parse_storage(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_storage());
  return values ? storage_options(*values) : values.error();
}

TEST(BenchOptions, ReadsAllOptionsOfARun) {
  const auto ingest = parse_ingest(
      {"ingest",   "--line",      "127.0.0.1:1", "--http",    "http://127.0.0.1:2", "--pid",   "3",
       "--series", "4",           "--samples",   "5",         "--connections",      "6",       "--rate",
       "7",        "--transport", "udp",         "--dialect", "graphite",           "--order", "random",
       "--times",  "step",        "--dir",       "/a"});
  ASSERT_TRUE(ingest.has_value()) << ingest.error().message;
  ASSERT_TRUE(ingest->server.has_value());
  EXPECT_EQ(ingest->server->line.text(), "127.0.0.1:1");
  EXPECT_EQ(ingest->server->url, "http://127.0.0.1:2");
  EXPECT_EQ(ingest->server->pid, 3);
  EXPECT_EQ(ingest->directory, "/a");
  ASSERT_TRUE(ingest->run.has_value());
  EXPECT_EQ(ingest->run->dialect, LineDialect::kGraphite);
  EXPECT_EQ(ingest->run->series, 4U);
  EXPECT_EQ(ingest->run->samples, 5U);
  EXPECT_EQ(ingest->run->connections, 6U);
  EXPECT_EQ(ingest->run->rate, 7U);
  EXPECT_EQ(ingest->run->transport, Transport::kUdp);
  EXPECT_TRUE(ingest->run->is_shuffled);
  EXPECT_TRUE(ingest->run->has_times);
}

TEST(BenchOptions, ReadsEveryValueOfAChoice) {
  EXPECT_EQ(parse_ingest({"ingest", "--dialect", "istatd"})->run->dialect, LineDialect::kIstatd);
  EXPECT_EQ(parse_ingest({"ingest", "--dialect", "statsd"})->run->dialect, LineDialect::kStatsd);
  EXPECT_EQ(parse_ingest({"ingest", "--transport", "tcp"})->run->transport, Transport::kTcp);
  EXPECT_EQ(parse_ingest({"ingest", "--transport", "udp_gso"})->run->transport, Transport::kUdpGso);
  EXPECT_FALSE(parse_ingest({"ingest", "--order", "index"})->run->is_shuffled);
  EXPECT_FALSE(parse_ingest({"ingest", "--times", "none"})->run->has_times);
}

TEST(BenchOptions, AcceptsAServerWithoutAUrl) {
  const auto ingest = parse_ingest({"ingest", "--line", "h:1", "--pid", "2"});
  ASSERT_TRUE(ingest.has_value());
  EXPECT_EQ(ingest->server->url, "");
  EXPECT_TRUE(ingest->run.has_value());
}

TEST(BenchOptions, IngestOptionsSelectMeasures) {
  const auto ingest = parse_ingest(
      {"ingest", "--only", "udp.live,stall_ms", "--scale", "0.5", "--connections", "2", "--rate", "0"});
  ASSERT_TRUE(ingest.has_value());
  EXPECT_EQ(ingest->only, (std::vector<std::string>{"udp.live.10k", "udp.live.100k", "udp.live.1m",
                                                    "udp.live.1m_random", "stall_ms"}));
  EXPECT_EQ(ingest->scale, 0.5);
  EXPECT_EQ(ingest->connections, 2U);
  EXPECT_EQ(ingest->rate, 0U);
  EXPECT_EQ(ingest->run.has_value(), false);
}

TEST(BenchOptions, ReadsAllOptionsOfStorage) {
  const auto storage = parse_storage({"storage", "--only", "mix,read24h", "--scale", "0.5", "--series", "4",
                                      "--slots", "5", "--ticks", "6", "--dir", "/a", "--data", "/b"});
  ASSERT_TRUE(storage.has_value());
  EXPECT_EQ(storage->only, (std::vector<std::string>{"mix", "read24h"}));
  EXPECT_EQ(storage->scale, 0.5);
  EXPECT_EQ(storage->series, 4U);
  EXPECT_EQ(storage->slots, 5U);
  EXPECT_EQ(storage->ticks, 6U);
  EXPECT_EQ(storage->directory, "/a");
  EXPECT_EQ(storage->data, "/b");
}

TEST(BenchOptions, HaveDefaults) {
  const auto suite = parse_ingest({"ingest"});
  EXPECT_TRUE(suite->only.empty());
  EXPECT_EQ(suite->scale, 1);
  EXPECT_EQ(suite->rate, std::nullopt);
  EXPECT_FALSE(suite->run.has_value());
  const auto run = parse_ingest({"ingest", "--times", "step"});
  EXPECT_EQ(run->run->series, 10'000U);
  EXPECT_EQ(run->run->rate, 0U);
  const auto storage = parse_storage({"storage"});
  EXPECT_TRUE(storage->only.empty());
  EXPECT_EQ(storage->scale, 1);
  EXPECT_EQ(storage->series, std::nullopt);
  EXPECT_EQ(storage->ticks, 10U);
}

TEST(BenchOptions, EachSuiteOfTheTableHasARunAndIsInTheHelp) {
  const auto help = parse({"--help"});
  ASSERT_TRUE(help->help.has_value());
  for (const Suite& suite : suites()) {
    const std::string name(suite.name);
    const auto options = parse({name, "--json"});
    ASSERT_TRUE(options.has_value()) << name;
    EXPECT_TRUE(options->run) << name;
    EXPECT_TRUE(options->is_json) << name;
    EXPECT_FALSE(parse({name})->is_json) << name;
    EXPECT_THAT(*help->help, HasSubstr(" " + name + " "));
    EXPECT_THAT(*help->help, HasSubstr(" " + std::string(suite.purpose) + "\n"));
    EXPECT_THAT(*help->help, HasSubstr("\n" + name + "; ")) << name;
  }
}

TEST(BenchOptions, HelpNamesEveryMeasure) {
  const std::vector<std::string> arguments = {"storage", "--help"};
  const Result<BenchOptions> options = parse_bench_options(arguments);
  ASSERT_TRUE(options->help.has_value());
  for (const std::string& name : storage_measures()) EXPECT_THAT(*options->help, HasSubstr(name));
  for (const char* name : {"new_series", "query_p99_ms", "stall_ms", "1m_random", "udp_gso"})
    EXPECT_THAT(*options->help, HasSubstr(name));
}

TEST(BenchOptions, RefusesInvalidOptions) {
  struct Case {
    std::vector<std::string> arguments;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {{}, "no suite is named"},
      {{"egress"}, "no suite \"egress\""},
      {{"ingest", "more"}, "too many positional options"},
      {{"ingest", "--series", "0"}, "--series: "},
      {{"ingest", "--samples", "-1"}, "--samples: "},
      {{"ingest", "--connections", "x"}, "--connections: "},
      {{"ingest", "--transport", "sctp"}, "--transport \"sctp\""},
      {{"ingest", "--order", "up"}, "--order \"up\""},
      {{"ingest", "--times", "all"}, "--times \"all\""},
      {{"ingest", "--dialect", "collectd"},
       "--dialect \"collectd\" is none of istatd, graphite, statsd, influx, distribution"},
      {{"ingest", "--rate", "-1"}, "--rate: "},
      {{"ingest", "--scale", "0"}, "--scale: \"0\""},
      {{"ingest", "--only", "tcp,sctp"}, "--only: no measure \"sctp\" (known: tcp.live.10k,"},
      {{"ingest", "--only", "tcp.live.1"}, "--only: no measure \"tcp.live.1\""},
      {{"ingest", "--only", "tcp", "--series", "5"},
       "--series selects a single run; --only applies only to the suite"},
      {{"ingest", "--scale", "2", "--order", "random"},
       "--order selects a single run; --scale applies only to the suite"},
      {{"ingest", "--pid", "1"}, "require each other"},
      {{"ingest", "--line", "h:1"}, "require each other"},
      {{"ingest", "--http", "http://h"}, "require each other"},
      {{"ingest", "--line", "x", "--http", "http://h", "--pid", "1"}, "--line: "},
      {{"ingest", "--speed", "1"}, "unrecognised option"},
      {{"ingest", "--slots", "1"}, "unrecognised option"},
      {{"--json"}, "no suite is named"},
      {{"storage", "more"}, "too many positional options"},
      {{"storage", "--transport", "udp"}, "unrecognised option"},
      {{"storage", "--pid", "1"}, "unrecognised option"},
      {{"storage", "--only", "mix,read"}, "--only: no measure \"read\" (known: mix, multi10,"},
      {{"storage", "--only", ""}, "--only: names no measure"},
      {{"storage", "--only", "mix,"}, "--only: no measure \"\""},
      {{"storage", "--scale", "0"}, "--scale: \"0\""},
      {{"storage", "--scale", "-1"}, "--scale: \"-1\""},
      {{"storage", "--scale", "big"}, "--scale: \"big\""},
      {{"storage", "--scale", "101"}, "--scale: \"101\""},
      {{"storage", "--series", "0"}, "--series: "},
      {{"storage", "--slots", "x"}, "--slots: "},
      {{"storage", "--ticks", "0"}, "--ticks: "},
  };
  for (const Case& c : cases) {
    const Result<BenchOptions> options = parse_bench_options(c.arguments);
    ASSERT_FALSE(options.has_value()) << c.why;
    EXPECT_THAT(options.error().message, HasSubstr(c.why));
  }
}

}  // namespace
}  // namespace statmill
