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

TEST(BenchOptions, ReadsAllOptionsOfARun) {
  const Result<BenchOptions> options = parse({"ingest",
                                              "--line",
                                              "127.0.0.1:1",
                                              "--http",
                                              "http://127.0.0.1:2",
                                              "--pid",
                                              "3",
                                              "--series",
                                              "4",
                                              "--samples",
                                              "5",
                                              "--connections",
                                              "6",
                                              "--rate",
                                              "7",
                                              "--transport",
                                              "udp",
                                              "--dialect",
                                              "graphite",
                                              "--order",
                                              "random",
                                              "--times",
                                              "step",
                                              "--dir",
                                              "/a",
                                              "--json"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  const IngestOptions& ingest = options->ingest;
  ASSERT_TRUE(ingest.server.has_value());
  EXPECT_EQ(ingest.server->line.text(), "127.0.0.1:1");
  EXPECT_EQ(ingest.server->url, "http://127.0.0.1:2");
  EXPECT_EQ(ingest.server->pid, 3);
  EXPECT_EQ(ingest.directory, "/a");
  ASSERT_TRUE(ingest.run.has_value());
  EXPECT_EQ(ingest.run->dialect, LineDialect::kGraphite);
  EXPECT_EQ(ingest.run->series, 4U);
  EXPECT_EQ(ingest.run->samples, 5U);
  EXPECT_EQ(ingest.run->connections, 6U);
  EXPECT_EQ(ingest.run->rate, 7U);
  EXPECT_EQ(ingest.run->transport, Transport::kUdp);
  EXPECT_TRUE(ingest.run->is_shuffled);
  EXPECT_TRUE(ingest.run->has_times);
  EXPECT_TRUE(options->is_json);
}

TEST(BenchOptions, ReadsEveryValueOfAChoice) {
  EXPECT_EQ(parse({"ingest", "--dialect", "istatd"})->ingest.run->dialect, LineDialect::kIstatd);
  EXPECT_EQ(parse({"ingest", "--dialect", "statsd"})->ingest.run->dialect, LineDialect::kStatsd);
  EXPECT_EQ(parse({"ingest", "--transport", "tcp"})->ingest.run->transport, Transport::kTcp);
  EXPECT_EQ(parse({"ingest", "--transport", "udp_gso"})->ingest.run->transport, Transport::kUdpGso);
  EXPECT_FALSE(parse({"ingest", "--order", "index"})->ingest.run->is_shuffled);
  EXPECT_FALSE(parse({"ingest", "--times", "none"})->ingest.run->has_times);
}

TEST(BenchOptions, AcceptsAServerWithoutAUrl) {
  const auto options = parse({"ingest", "--line", "h:1", "--pid", "2"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->ingest.server->url, "");
  EXPECT_TRUE(options->ingest.run.has_value());
}

TEST(BenchOptions, IngestOptionsSelectMeasures) {
  const auto options =
      parse({"ingest", "--only", "udp.live,stall_ms", "--scale", "0.5", "--connections", "2", "--rate", "0"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->ingest.only, (std::vector<std::string>{"udp.live.10k", "udp.live.100k", "udp.live.1m",
                                                            "udp.live.1m_random", "stall_ms"}));
  EXPECT_EQ(options->ingest.scale, 0.5);
  EXPECT_EQ(options->ingest.connections, 2U);
  EXPECT_EQ(options->ingest.rate, 0U);
  EXPECT_EQ(options->ingest.run.has_value(), false);
}

TEST(BenchOptions, ReadsAllOptionsOfStorage) {
  const std::vector<std::string> arguments = {"storage",  "--only", "mix,read24h", "--scale", "0.5",
                                              "--series", "4",      "--slots",     "5",       "--ticks",
                                              "6",        "--dir",  "/a",          "--data",  "/b"};
  const Result<BenchOptions> options = parse_bench_options(arguments);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->suite, Suite::kStorage);
  EXPECT_EQ(options->storage.only, (std::vector<std::string>{"mix", "read24h"}));
  EXPECT_EQ(options->storage.scale, 0.5);
  EXPECT_EQ(options->storage.series, 4U);
  EXPECT_EQ(options->storage.slots, 5U);
  EXPECT_EQ(options->storage.ticks, 6U);
  EXPECT_EQ(options->storage.directory, "/a");
  EXPECT_EQ(options->storage.data, "/b");
  EXPECT_FALSE(options->is_json);
}

TEST(BenchOptions, HaveDefaults) {
  const Result<BenchOptions> suite = parse({"ingest"});
  EXPECT_TRUE(suite->ingest.only.empty());
  EXPECT_EQ(suite->ingest.scale, 1);
  EXPECT_EQ(suite->ingest.rate, std::nullopt);
  EXPECT_FALSE(suite->ingest.run.has_value());
  const Result<BenchOptions> run = parse({"ingest", "--times", "step"});
  EXPECT_EQ(run->ingest.run->series, 10'000U);
  EXPECT_EQ(run->ingest.run->rate, 0U);
  const Result<BenchOptions> options = parse({"storage"});
  EXPECT_TRUE(options->storage.only.empty());
  EXPECT_EQ(options->storage.scale, 1);
  EXPECT_EQ(options->storage.series, std::nullopt);
  EXPECT_EQ(options->storage.ticks, 10U);
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
       "--dialect \"collectd\" is none of istatd, graphite, statsd, distribution"},
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
